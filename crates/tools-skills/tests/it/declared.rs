//! Tools that a skill declares: while it is active they are calls of the shell, before and after
//! they are nothing.

use std::sync::Arc;

use serde_json::{Value, json};
use tools_core::{
    CallContext, CompositeExecutor, DynExecutor, Stack, StandIns as _, ToolCall, ToolErrorCategory, ToolName,
    ToolTraits,
};
use tools_skills::{Origin, Skill, SkillTools, SkillsLayer};
use tools_testkit::{Behaviour, ScriptedExecutor, Workspace};

use crate::skills;

const DECLARING: &str = "---\nname: deploy\ndescription: How to deploy.\nallowed-tools: Read\nmetadata:\n  \
    tool.release: make release TO={stage} {flags=}\n  tool.release.description: Releases.\n  \
    tool.release.stage: Where to.\n  tool.read: cat x\n---\n\nWith care.\n";

fn read(front: &str) -> Skill {
    let workspace = Workspace::new();
    let path = workspace.file("x/SKILL.md", format!("---\nname: x\ndescription: d\nmetadata:\n{front}\n---\n"));
    Skill::read(path.parent().expect("a folder")).expect("a skill")
}

#[test]
fn what_cannot_be_a_tool_is_left_out_and_told() {
    let check = |front: &str, text: &str| {
        let skill = read(front);
        assert!(skill.tools.is_empty(), "{front}");
        assert!(skill.warnings.len() == 1 && skill.warnings[0].contains(text), "{front}: {:?}", skill.warnings);
    };
    check("  tool.x.description: d", "its command, is missing");
    check("  tool.X: y", "its name is not");
    check("  \"tool.\": y", "its name is not");
    check("  tool.x:\n    - y", "is not a string");
    check("  tool.x: y\n  tool.x.b: says", "no place `{b}`");
    check("  tool.x: y '{b}'\n  tool.x.b: says", "quotation marks");
    check("  tool.x: y {b} {b=1}", "two defaults");
    let many = (0..17).map(|n| format!(" {{p{n}}}")).collect::<Vec<_>>().concat();
    check(&format!("  tool.x: y{many}"), "more than 16");
    let tools = (0..21).map(|n| format!("  tool.x{n}: y\n")).collect::<Vec<_>>().concat();
    let skill = read(tools.trim_end());
    assert_eq!((skill.tools.len(), skill.warnings.len()), (20, 1));
}

#[tokio::test]
async fn a_declared_tool_is_a_call_of_the_shell_while_its_skill_is_active() {
    let workspace = Workspace::new();
    workspace.file("skills/deploy/SKILL.md", DECLARING);
    let skills = skills(&workspace, Origin::User);
    let scripted = ScriptedExecutor::new().tool("read", ToolTraits::READ_ONLY, Behaviour::reply("read")).tool(
        "bash",
        ToolTraits::CAUTIOUS,
        Behaviour::reply("ran"),
    );
    let mut executors = SkillTools::new(skills.clone()).into_executors();
    executors.push(DynExecutor::new(scripted));
    let free = ["load_skill", "invoke_skill"].map(|name| ToolName::parse(name).unwrap());
    let layer = SkillsLayer::new(skills.clone(), free);
    let stack =
        Stack::new(vec![Arc::new(layer)], CompositeExecutor::new(executors)).with_stand_ins(Arc::new(skills.clone()));
    let cx = CallContext::new(workspace.root());
    let run = async |cx: &CallContext, tool: &str, params: Value| {
        let outcome = stack.dispatch(ToolCall::new(tool, params).unwrap(), cx).await;
        outcome.map(|output| output.summary).map_err(|error| (error.category(), error.code(), error.to_string()))
    };
    let release = || json!({"stage": "a b", "flags": ""});
    let names = || -> Vec<String> {
        skills.declared(cx.session(), &stack.definitions()).iter().map(|tool| tool.name.as_str().to_owned()).collect()
    };
    assert_eq!(run(&cx, "release", release()).await.unwrap_err().1, "tool_not_found");
    let invoked = run(&cx, "invoke_skill", json!({"name": "deploy"})).await.unwrap();
    assert!(invoked.contains("- release: Releases. Runs the command `make release") && invoked.contains("Where to."));
    // A declared tool never replaces an existing tool of the same name.
    assert_eq!(names(), ["release"]);
    assert_eq!(run(&cx, "read", json!({})).await.unwrap(), "read");
    let line = json!({"command": "make release TO='a b' "});
    assert_eq!(run(&cx, "release", release()).await.unwrap(), "ran");
    // The skill names no shell: only what its own tools are is let.
    assert_eq!(run(&cx, "bash", json!({"command": "make clean"})).await.unwrap_err().1, "skill_narrows");
    let wrong = run(&cx, "release", json!({})).await.unwrap_err();
    assert!(wrong.0 == ToolErrorCategory::InvalidParameters && wrong.2.contains("`stage`"), "{wrong:?}");
    let wrong = run(&cx, "release", json!({"stage": "x", "stag": "y"})).await.unwrap_err();
    assert!(wrong.2.contains("it takes `stage`, `flags`"), "{wrong:?}");
    let wrong = run(&cx, "release", json!({"stage": ["x"]})).await.unwrap_err();
    assert_eq!(wrong.0, ToolErrorCategory::TypeMismatch);
    // Another session has invoked nothing.
    let other = CallContext::new(workspace.root());
    assert_eq!(run(&other, "release", release()).await.unwrap_err().1, "tool_not_found");
    assert!(skills.declared(other.session(), &stack.definitions()).is_empty());
    // The call that was made and the consent to it are those of the shell.
    let call = ToolCall::new("release", release()).unwrap();
    let looked = stack.inspect(call.clone(), &cx).await;
    assert_eq!((looked.call.tool.as_str(), &looked.call.id), ("bash", &call.id));
    assert_eq!(skills.meant(&call, &cx).unwrap().unwrap().params, *line.as_object().unwrap());
    skills.end_turn(cx.session());
    assert_eq!(run(&cx, "release", release()).await.unwrap_err().1, "tool_not_found");
    assert!(names().is_empty());
}

#[tokio::test]
async fn a_tool_with_the_name_of_another_is_left_out_and_said_so() {
    let skill =
        read("  tool.read: cat x\n  tool.shell: sh\n  tool.own: y").beside(|tool| matches!(tool, "read" | "bash"));
    assert_eq!(skill.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["own"]);
    assert_eq!(
        skill.tool_faults,
        [
            "the tool `read` is left out: there is another tool of that name",
            "the tool `shell` is left out: that is another name of the tool `bash`"
        ]
    );
    assert_eq!(skill.warnings, skill.tool_faults);

    let workspace = Workspace::new();
    workspace.file("skills/deploy/SKILL.md", DECLARING);
    let skills = skills(&workspace, Origin::User);
    skills.reserve_names(["read".to_owned(), "bash".to_owned()]);
    let stack = Stack::new(vec![], CompositeExecutor::new(SkillTools::new(skills.clone()).into_executors()));
    let cx = CallContext::new(workspace.root());
    let call = ToolCall::new("invoke_skill", json!({"name": "deploy"})).unwrap();
    let output = stack.dispatch(call, &cx).await.unwrap();
    assert!(
        output.summary.ends_with("[the tool `read` is left out: there is another tool of that name]"),
        "{output:?}"
    );
    assert!(output.summary.contains("- release: ") && !output.summary.contains("- read: "), "{output:?}");
    assert_eq!(output.raw_response.as_ref().unwrap()["tools"], json!(["release"]));
    assert_eq!(skills.active(cx.session()).unwrap().tools.len(), 1);
}
