//! A model of meaning in a folder: memories and tools are found by what they mean.

use haft::Toolbox;
use haft::config::LoadedConfig;
use haft::core::{DynExecutor, NobodyToAsk, ToolDef, ToolKind, ToolName, ToolTraits};
use serde_json::{from_value, json};
use tools_testkit::{Behaviour, ScriptedExecutor, Workspace, write_model};

fn toolbox(workspace: &Workspace, model: &str) -> Toolbox {
    let text = format!(
        "[embedding]\n{model}\n[tools.memory]\npath = \"{}\"\n[mcp]\nsearch_above = 1\n\
         [[tools.permissions.memory_save]]\npattern = \"*\"\naction = \"allow\"\n",
        workspace.path("memory.db").display()
    );
    let mut loaded = LoadedConfig::parse(&text, &|_| None).unwrap();
    crate::keep_beside(&mut loaded.config, workspace);
    let definition = |name: &str, about: &'static str| {
        let input = from_value(json!({"type": "object"})).unwrap();
        ToolDef::new(ToolName::parse(name).unwrap(), about, input, ToolKind::Other, ToolTraits::READ_ONLY)
    };
    let scripted = ScriptedExecutor::new()
        .defined(definition("hire", "Hires an automobile."), Behaviour::reply("hired"))
        .defined(definition("taste", "Tastes cheese."), Behaviour::reply("tasted"));
    let builder = Toolbox::builder(loaded, workspace.dir("work"));
    builder.executor(DynExecutor::new(scripted)).build().unwrap()
}

async fn text(toolbox: &Toolbox, tool: &str, params: serde_json::Value) -> String {
    let recorded = toolbox.call(crate::call(tool, params), &toolbox.context(), &NobodyToAsk).await;
    recorded.outcome.unwrap().to_text().into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn memories_and_tools_are_found_by_what_they_mean() {
    let workspace = Workspace::new();
    write_model(&workspace.dir("model"));
    for (model, finds) in [(format!("model = \"{}\"", workspace.path("model").display()), true), (String::new(), false)]
    {
        let toolbox = toolbox(&workspace, &model);
        text(&toolbox, "memory_save", json!({"content": "The automobile is red."})).await;
        text(&toolbox, "memory_save", json!({"content": "Nothing but cheese in there."})).await;
        let memories = text(&toolbox, "memory_search", json!({"query": "car"})).await;
        assert_eq!(memories.contains("automobile"), finds, "{memories}");
        assert!(!memories.contains("cheese"), "{memories}");
        // The vectors of the tools are made beside.
        let mut tools = String::new();
        for _ in 0..if finds { 500 } else { 5 } {
            tools = text(&toolbox, "tool_search", json!({"query": "car"})).await;
            if tools.contains("hire") {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        assert_eq!(tools.contains("hire"), finds, "{tools}");
    }
}

#[test]
fn a_folder_without_a_model_is_an_error_at_the_start() {
    let workspace = Workspace::new();
    let text = format!("[embedding]\nmodel = \"{}\"\n", workspace.dir("empty").display());
    let loaded = LoadedConfig::parse(&text, &|_| None).unwrap();
    let error = Toolbox::builder(loaded, workspace.dir("work")).build().unwrap_err().to_string();
    assert!(error.contains("embedding.model") && error.contains("tokenizer.json"), "{error}");
}
