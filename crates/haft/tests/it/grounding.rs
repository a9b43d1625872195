//! Names out of nowhere: found where a model makes them up, not where it was told, and nothing is
//! refused for them.

use haft::core::{CallId, NobodyToAsk, SessionId};
use serde_json::{Value, json};
use tools_testkit::Workspace;

use crate::{ALL_COMMANDS, call, toolbox};

const ON: &str = "[agent]\nhallucination_detection = true\nreasoning_model = true\n";

fn project(workspace: &Workspace) {
    for folder in ["src", "src/net", "tests", "docs", "scripts"] {
        for name in ["main", "lib", "config", "client", "server", "parse"] {
            workspace.file(format!("work/{folder}/{name}.rs"), format!("// {name}\nuse std::fmt;\n"));
        }
    }
    workspace.file("work/Cargo.toml", "[package]\nname = \"x\"\nversion = \"0.1.0\"\n");
    workspace.file("work/README.md", "# x\n");
}

/// What a user says, and a call that follows from it.
fn grounded() -> Vec<(String, &'static str, Value)> {
    let folders = ["src", "src/net", "tests", "docs", "scripts"];
    let names = ["main", "lib", "config", "client", "server", "parse"];
    let mut calls = Vec::new();
    for (at, folder) in folders.iter().enumerate() {
        for (number, name) in names.iter().enumerate() {
            let path = format!("{folder}/{name}.rs");
            let id = 1000 + 37 * (at * names.len() + number);
            calls.push((format!("What is in the {name} module?"), "read", json!({"path": path})));
            calls.push((
                format!("Write {folder}/{name}_v2.rs"),
                "write",
                json!({"path": format!("{folder}/{name}_v2.rs"), "content": "x"}),
            ));
            calls.push((format!("Look for fmt in {folder}."), "grep", json!({"pattern": "fmt", "path": folder})));
            calls.push((
                format!("Is {path} older than Cargo.toml?"),
                "bash",
                json!({"command": format!("ls -l {path} Cargo.toml")}),
            ));
            calls.push((
                format!("Mail order {id} to {name}@{folder}.example.org", folder = folder.replace('/', ".")),
                "bash",
                json!({"command": format!("echo order {id} {name}@{folder}.example.org", folder = folder.replace('/', "."))}),
            ));
            calls.push((
                format!("The server is db{at}.{name}.example.net, port {id}"),
                "bash",
                json!({"command": format!("echo db{at}.{name}.example.net:{id}")}),
            ));
        }
    }
    calls
}

/// The same call with one name that nobody told the model.
fn made_up(calls: &[(String, &'static str, Value)]) -> Vec<(String, &'static str, Value)> {
    let mutated = |(number, (said, tool, params)): (usize, &(String, &'static str, Value))| {
        let mut params = params.clone();
        let said = said.clone();
        match (*tool, params.get("path").and_then(Value::as_str).map(str::to_owned)) {
            ("read" | "grep", Some(path)) => params["path"] = json!(format!("{path}/inner/util{number}.rs")),
            ("write", Some(_)) => params["path"] = json!(format!("made/up{number}/inner/new.rs")),
            _ => {
                let command = params["command"].as_str().unwrap();
                let other = if command.starts_with("ls") {
                    format!("cat lost/and{number}/found.rs < lost/and{number}/found.rs")
                } else if command.contains('@') {
                    format!("echo order {} someone{number}@other.example.com", 9000 + number)
                } else {
                    format!("echo cache{number}.other.example.com:{}", 20_000 + number)
                };
                params["command"] = json!(other);
            }
        }
        (said, *tool, params)
    };
    calls.iter().enumerate().map(mutated).collect()
}

/// How many of the calls get a warning of what they name. Each is a session of its own.
async fn warned(calls: &[(String, &'static str, Value)]) -> usize {
    let workspace = Workspace::new();
    project(&workspace);
    let writes = "[[tools.permissions.write]]\npattern = \"*\"\naction = \"allow\"\n[tools.shell]\nsandbox = \"off\"\n[tools.checkpoints]\nenabled = false\n";
    let toolbox = toolbox(&workspace, &format!("{ON}{ALL_COMMANDS}{writes}"));
    let mut warned = 0;
    for (said, tool, params) in calls {
        let cx = toolbox.context().in_session(SessionId::generate());
        toolbox.parts().gates.state.texts.user(cx.session(), said);
        let recorded = toolbox.call(call(tool, params.clone()), &cx, &NobodyToAsk).await;
        let is_warned = recorded.journal.value("hallucination").is_some();
        assert_eq!(
            is_warned,
            recorded.journal.warnings().iter().any(|text| text.contains("mentioned") || text.contains("nearest"))
        );
        warned += usize::from(is_warned);
    }
    warned
}

#[tokio::test]
async fn few_calls_that_follow_are_suspected_and_most_that_do_not_are() {
    let follow = grounded();
    let made_up = made_up(&follow);
    let (false_alarms, hits) = (warned(&follow).await, warned(&made_up).await);
    assert!(false_alarms * 100 <= follow.len() * 5, "{false_alarms} of {} that follow are suspected", follow.len());
    assert!(hits * 100 >= made_up.len() * 90, "{hits} of {} that were made up are found", made_up.len());
}

#[tokio::test]
async fn a_warning_is_told_and_recorded_and_refuses_nothing() {
    let workspace = Workspace::new();
    project(&workspace);
    let toolbox = toolbox(&workspace, ON);
    let made_up = || call("read", json!({"path": "src/mian.rs"})).with_id(CallId::parse("one").unwrap());
    let recorded = toolbox.call(made_up(), &toolbox.context(), &NobodyToAsk).await;
    assert_eq!(recorded.journal.warnings(), ["`src/mian.rs` does not exist; nearest: `src/main.rs`"]);
    assert_eq!(recorded.outcome.unwrap_err().code(), "not_found", "the tool itself says so");
    let record = std::fs::read_to_string(workspace.path("record/audit.jsonl")).unwrap();
    let line: Value = serde_json::from_str(record.lines().next().unwrap()).unwrap();
    assert_eq!(line["hallucination"], json!([{"field": "path", "value": "src/mian.rs", "kind": "path"}]));
    assert_eq!(line["warnings"][0], "`src/mian.rs` does not exist; nearest: `src/main.rs`");
    // Having named it once makes it no more real; having read of it does.
    let again = toolbox.call(made_up(), &toolbox.context(), &NobodyToAsk).await;
    assert_eq!(again.journal.warnings().len(), 1);
    workspace.file("work/notes.md", "see src/mian.rs\n");
    toolbox.call(call("read", json!({"path": "notes.md"})), &toolbox.context(), &NobodyToAsk).await.outcome.unwrap();
    let told = toolbox.call(made_up(), &toolbox.context(), &NobodyToAsk).await;
    assert!(told.journal.warnings().is_empty(), "{:?}", told.journal.warnings());
}
