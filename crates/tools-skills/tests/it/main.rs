//! Skills in folders: what is read, what is refused, what is agreed to.

mod declared;
mod definitions;
mod quoting;
mod reference;

use std::{borrow::Cow, path::Path, sync::Arc};

use serde_json::json;
use tools_core::{CallContext, CompositeExecutor, Redactor, Stack, ToolCall};
use tools_skills::{
    Origin, Pins, Place, Skill, SkillError, SkillTools, Skills, SkillsConfig, SkillsLayer, check, discover, tree,
};
use tools_testkit::{Behaviour, ScriptedExecutor, Workspace, contract};

const USUAL: &str = "---\nname: deploy\ndescription: How to deploy.\n---\n\nWith care.\n";

fn faults(workspace: &Workspace, front: &str) -> Vec<String> {
    let path = workspace.file("deploy/SKILL.md", format!("---\n{front}\n---\nbody\n"));
    check(path.parent().expect("a folder")).expect("it can be judged")
}

#[test]
fn the_format_is_checked_field_by_field() {
    let workspace = Workspace::new();
    let check = |front: &str, expected: &[&str]| {
        let found = faults(&workspace, front);
        assert_eq!(found.len(), expected.len(), "{front}: {found:?}");
        for (fault, text) in found.iter().zip(expected) {
            assert!(fault.contains(text), "{front}: {fault}");
        }
    };
    check("name: deploy\ndescription: d", &[]);
    check("name: \"deploy\"\ndescription: >\n  folded\n  text\nmetadata:\n  a: 1", &[]);
    check("name: deploy", &["`description` is missing"]);
    check("name: other\ndescription: d", &["the folder is called \"deploy\""]);
    check("name: deploy\ndescription: d\nauthor: me", &["no fields `author`"]);
    check("name: deploy\ndescription: d\nmetadata: {a: b}", &["line 4: `{…}`"]);
    check("name: deploy\ndescription: d\nname: deploy", &["`name` stands there twice"]);
    check("name: deploy\ndescription: &a d", &["anchors"]);
    check("name: deploy\ndescription: \"\"", &["`description` is not a string"]);
    check(&format!("name: deploy\ndescription: {}", "x".repeat(1025)), &["1025 characters"]);
    check("name: [deploy", &["front matter"]);
    check("- a", &["not a list of names with values"]);
    check("name: deploy\ndescription: *a", &["front matter"]);
}

#[test]
fn a_digest_is_of_every_file_and_links_do_not_lead_out() {
    let workspace = Workspace::new();
    let folder = workspace.file("deploy/SKILL.md", USUAL).parent().expect("a folder").to_owned();
    let before = tree(&folder).unwrap();
    assert!(before.files.is_empty());
    workspace.file("deploy/a/b.txt", "b");
    let with_file = tree(&folder).unwrap();
    assert_eq!(with_file.files, [Path::new("a/b.txt")]);
    workspace.file("deploy/a/b.txt", "c");
    let changed = tree(&folder).unwrap();
    assert!(before.digest != with_file.digest && with_file.digest != changed.digest);
    workspace.link("deploy/out", "../../outside");
    workspace.file("outside", "x");
    workspace.link("deploy/again", ".");
    let linked = tree(&folder).unwrap();
    let said = |name: &str| format!("`{name}` is a link that leads in a circle or out of the skill");
    assert_eq!((linked.files, linked.left_out), (changed.files, vec![said("again"), said("out")]));
    assert_ne!(linked.digest, changed.digest);
}

#[test]
fn the_usual_folders_are_searched_and_broken_skills_are_told() {
    let workspace = Workspace::new();
    workspace.file("user/deploy/SKILL.md", USUAL);
    workspace.file("project/deploy/SKILL.md", USUAL);
    workspace.file("project/big/SKILL.md", "x".repeat(10 << 20));
    workspace.file("project/bytes/SKILL.md", b"---\n\xff\n---\n");
    workspace.file("project/none/README.md", "");
    let place = |name: &str, origin| Place { folder: workspace.path(name), origin };
    let found = discover(&[place("user", Origin::User), place("project", Origin::Project), place("no", Origin::User)]);
    let shadowed: Vec<_> = found.iter().filter(|one| one.shadowed).map(|one| one.origin).collect();
    assert_eq!((found.len(), shadowed), (4, vec![Origin::User]));
    let errors: Vec<_> = found.iter().filter_map(|one| one.skill.as_ref().err()).collect();
    assert!(matches!(errors[..], [SkillError::TooLarge { .. }, SkillError::NotText(_)]), "{errors:?}");
}

#[test]
fn what_a_skill_sets_for_commands_never_decides_which_programs_run() {
    let workspace = Workspace::new();
    let text = "---\nname: deploy\ndescription: d\nmetadata:\n  env.STAGE: green\n  env.PATH: /x\n  env.a b: c\n---\n";
    let path = workspace.file("deploy/SKILL.md", text);
    let skill = Skill::read(path.parent().expect("a folder")).unwrap();
    assert_eq!(skill.env.into_iter().collect::<Vec<_>>(), [("STAGE".to_owned(), "green".to_owned())]);
    assert_eq!(skill.warnings.len(), 2);
}

/// Takes the one credential of these tests out of text.
pub(crate) struct Redacting;

impl Redactor for Redacting {
    fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if text.contains("t0p-secret") { text.replace("t0p-secret", "«secret»").into() } else { text.into() }
    }
}

pub(crate) fn skills(workspace: &Workspace, origin: Origin) -> Skills {
    let place = Place { folder: workspace.path("skills"), origin };
    Skills::find(&[place], SkillsConfig::default(), Pins::at(workspace.path("pins.json")), Arc::new(Redacting))
}

#[tokio::test]
async fn the_tools_keep_the_contract_of_executors() {
    let workspace = Workspace::new();
    workspace.file("skills/deploy/SKILL.md", USUAL);
    let tools = SkillTools::new(skills(&workspace, Origin::User)).into_executors();
    let call = |tool, params| ToolCall::new(tool, params).unwrap();
    let samples =
        [call("load_skill", json!({"name": "deploy"})), call("invoke_skill", json!({"name": "deploy", "args": "x"}))];
    contract::check(CompositeExecutor::new(tools), &workspace, &samples).await;
    assert!(SkillTools::new(skills(&Workspace::new(), Origin::User)).into_executors().is_empty());
}

#[tokio::test]
async fn an_active_skill_only_takes_away_until_the_turn_ends() {
    let workspace = Workspace::new();
    workspace.file("skills/deploy/SKILL.md", USUAL.replace("---\n\n", "allowed-tools: Read\n---\n\n"));
    let skills = skills(&workspace, Origin::User);
    let scripted = ScriptedExecutor::new()
        .tool("read", tools_core::ToolTraits::READ_ONLY, Behaviour::reply("read"))
        .tool("write", tools_core::ToolTraits::EDIT, Behaviour::reply("written"));
    let mut executors = SkillTools::new(skills.clone()).into_executors();
    executors.push(tools_core::DynExecutor::new(scripted));
    let free = ["load_skill", "invoke_skill"].map(|name| tools_core::ToolName::parse(name).unwrap());
    let layer = SkillsLayer::new(skills.clone(), free);
    let stack = Stack::new(vec![Arc::new(layer)], CompositeExecutor::new(executors));
    let cx = CallContext::new(workspace.root());
    let run = async |tool: &str, params| {
        let outcome = stack.dispatch(ToolCall::new(tool, params).unwrap(), &cx).await;
        outcome.map(|output| output.summary).map_err(|error| error.code())
    };
    assert_eq!(run("write", json!({})).await.unwrap(), "written");
    run("invoke_skill", json!({"name": "deploy"})).await.unwrap();
    assert_eq!(run("write", json!({})).await, Err("skill_narrows"));
    assert_eq!(run("read", json!({})).await.unwrap(), "read");
    assert!(run("load_skill", json!({"name": "deploy"})).await.is_ok());
    skills.end_turn(cx.session());
    assert_eq!(run("write", json!({})).await.unwrap(), "written");
}

#[tokio::test]
async fn a_skill_of_the_project_needs_consent_and_again_when_it_changed() {
    let workspace = Workspace::new();
    workspace.file("skills/deploy/SKILL.md", USUAL);
    let skills = skills(&workspace, Origin::Project);
    let stack = Stack::new(vec![], CompositeExecutor::new(SkillTools::new(skills).into_executors()));
    let cx = CallContext::new(workspace.root());
    let call = || ToolCall::new("load_skill", json!({"name": "deploy"})).unwrap();
    let refused = stack.dispatch(call(), &cx).await.unwrap_err();
    assert_eq!(refused.category(), tools_core::ToolErrorCategory::ConfirmationRequired, "{refused}");
    let folder = workspace.path("skills/deploy");
    let pins = Pins::at(workspace.path("pins.json"));
    pins.add(&folder.canonicalize().unwrap(), &tree(&folder).unwrap().digest).unwrap();
    assert!(stack.dispatch(call(), &cx).await.is_ok());
    workspace.file("skills/deploy/SKILL.md", USUAL.replace("With care", "Without"));
    assert!(stack.dispatch(call(), &cx).await.is_err());
}
