//! What holds for all ten tools.

use std::{collections::BTreeMap, path::PathBuf};

use serde_json::{Value, json};
use tools_core::{
    Access, Approval, CallContext, CallerId, Shared, Subject, SystemClock, ToolCall, ToolErrorCategory,
    ToolExecutor as _, ToolKind,
};
use tools_file::FileConfig;

use crate::world::World;

fn samples() -> Vec<(&'static str, Value)> {
    vec![
        ("read", json!({"path": "d/a"})),
        ("write", json!({"path": "l", "content": "x"})),
        ("edit", json!({"path": "d/../l", "old_string": "a", "new_string": "b"})),
        ("grep", json!({"pattern": "a"})),
        ("find_path", json!({"pattern": "d/*"})),
        ("list_directory", json!({"path": "d"})),
        ("create_directory", json!({"path": "n/m"})),
        ("delete_path", json!({"path": "l"})),
        ("move_path", json!({"source": "l", "destination": "d/n"})),
        ("copy_path", json!({"source": "l", "destination": "n/c"})),
    ]
}

#[test]
fn definitions_are_the_ten_with_consistent_traits() {
    let world = World::new();
    let kinds: BTreeMap<String, (ToolKind, bool, bool, bool)> = world
        .stack
        .definitions()
        .iter()
        .map(|definition| {
            definition.traits.check().unwrap();
            assert!(!definition.description.is_empty() && !definition.traits.open_world);
            let traits = definition.traits;
            (definition.name.to_string(), (definition.kind, traits.read_only, traits.destructive, traits.cacheable))
        })
        .collect();
    let expected = [
        ("copy_path", (ToolKind::Edit, false, true, false)),
        ("create_directory", (ToolKind::Edit, false, false, false)),
        ("delete_path", (ToolKind::Delete, false, true, false)),
        ("edit", (ToolKind::Edit, false, true, false)),
        ("find_path", (ToolKind::Search, true, false, true)),
        ("grep", (ToolKind::Search, true, false, true)),
        ("list_directory", (ToolKind::Read, true, false, true)),
        ("move_path", (ToolKind::Move, false, true, false)),
        ("read", (ToolKind::Read, true, false, true)),
        ("write", (ToolKind::Edit, false, true, false)),
    ];
    assert_eq!(kinds, expected.into_iter().map(|(name, rest)| (name.to_owned(), rest)).collect());
}

#[tokio::test]
async fn the_protocol_holds() {
    let workspace = tools_testkit::Workspace::new();
    workspace.file("d/a", "a\n");
    workspace.link("l", "d/a");
    let policy = FileConfig::default().compile(workspace.root(), None).unwrap();
    let samples: Vec<_> = samples().into_iter().map(|(tool, params)| ToolCall::new(tool, params).unwrap()).collect();
    tools_testkit::contract::check(tools_file::executor(Shared::new(policy)), &workspace, &samples).await;
}

#[tokio::test]
async fn looking_names_canonical_paths_and_changes_nothing() {
    let world = World::new();
    world.file("d/a", "a\n").link("l", "d/a");
    let before = world.snapshot();
    let mut seen = Vec::new();
    for (tool, params) in samples() {
        let inspection = world.inspect(tool, params).await.unwrap();
        for subject in inspection.subjects {
            let Subject::Path { path, access, .. } = subject else { panic!("{tool}") };
            let path = path.strip_prefix(world.path("")).map_or_else(|_| path.clone(), PathBuf::from);
            seen.push((tool, path.display().to_string(), access));
        }
    }
    let expected = [
        ("read", "d/a", Access::Read),
        ("write", "d/a", Access::Write),
        ("edit", "d/a", Access::Write),
        ("grep", "", Access::Read),
        ("find_path", "d", Access::Read),
        ("list_directory", "d", Access::Read),
        ("create_directory", "n/m", Access::Write),
        ("delete_path", "l", Access::Delete),
        ("move_path", "l", Access::Delete),
        ("move_path", "d/n", Access::Write),
        ("copy_path", "d/a", Access::Read),
        ("copy_path", "n/c", Access::Write),
    ];
    assert_eq!(seen, expected.map(|(tool, path, access)| (tool, path.to_owned(), access)));
    assert_eq!(world.snapshot(), before);
}

#[tokio::test]
async fn parameters_are_checked_by_name_and_type() {
    let world = World::new();
    world.file("d/a", "a\n").link("l", "d/a");
    let before = world.snapshot();
    for (tool, params) in samples() {
        for (field, value) in params.as_object().unwrap() {
            let mut wrong = params.clone();
            wrong[field] = json!({"path": value});
            let error = world.call(tool, wrong).await.unwrap_err();
            assert_eq!(error.category(), ToolErrorCategory::TypeMismatch, "{tool} {field}: {error}");
            assert!(error.to_string().contains(field));
        }
        let mut unknown = params.clone();
        unknown["file_path"] = json!("x");
        let error = world.call(tool, unknown).await.unwrap_err();
        assert_eq!(error.category(), ToolErrorCategory::InvalidParameters);
        assert!(error.to_string().contains("file_path"), "{error}");
    }
    assert_eq!(world.snapshot(), before);
}

#[tokio::test]
async fn hostile_paths_are_refused_by_all() {
    let world = World::new();
    world.file("d/a", "a\n").link("l", "d/a").link("loop", "loop");
    let before = world.snapshot();
    let long = "x".repeat(1_000_000);
    for (tool, params) in samples() {
        for field in ["path", "source", "destination"].iter().filter(|field| params.get(**field).is_some()) {
            for hostile in ["", "a\0b", &long, "/proc/self/root/etc", "/dev/stdin", "../outside", "loop/x"] {
                let mut params = params.clone();
                params[*field] = json!(hostile);
                let error = world.call(tool, params).await.unwrap_err();
                assert!(error.to_string().len() < 2000, "{tool}: {}", error.to_string().len());
            }
        }
    }
    assert_eq!(world.snapshot(), before);
}

#[tokio::test]
async fn foreign_tools_are_left_alone_and_both_paths_run() {
    let world = World::new();
    let policy = FileConfig::default().compile(&world.path(""), None).unwrap();
    let executor = tools_file::executor(Shared::new(policy));
    let foreign = ToolCall::new("bash", json!({"command": "x"})).unwrap();
    assert_eq!(executor.execute_tool_call(&foreign, &world.cx).await.unwrap(), None);
    let call = ToolCall::new("write", json!({"path": "f", "content": "x"})).unwrap();
    let approval = Approval::grant(&call, CallerId::generate(), &SystemClock);
    executor.execute_tool_call_confirmed(&call, &approval, &world.cx).await.unwrap();
    assert_eq!(world.content("f"), "x");
}

#[tokio::test]
async fn a_cancelled_call_ends_and_leaves_nothing_behind() {
    let world = World::new();
    world.file("d/a", "a\n").link("l", "d/a");
    let before = world.snapshot();
    for (tool, params) in samples() {
        let cx = world.cx.clone().with_cancel(tokio_util::sync::CancellationToken::new());
        cx.cancel().cancel();
        let result = world.stack.dispatch(ToolCall::new(tool, params).unwrap(), &cx).await;
        assert_eq!(result.unwrap_err().category(), ToolErrorCategory::Cancelled, "{tool}");
    }
    assert_eq!(world.snapshot(), before);
}

#[tokio::test]
async fn each_session_has_its_own_working_directory() {
    let world = World::new();
    let elsewhere = CallContext::new(world.base.join("outside"));
    let call = |path: &str| ToolCall::new("read", json!({"path": path})).unwrap();
    assert_eq!(world.stack.dispatch(call("secret"), &elsewhere).await.unwrap().summary, "     1\tSECRET");
    assert!(world.stack.dispatch(call("secret"), &world.cx).await.is_err());
    assert!(world.stack.dispatch(call("../root"), &elsewhere).await.is_err());
}

#[test]
fn a_configuration_that_cannot_hold_is_refused() {
    let world = World::new();
    let compile = |config: FileConfig| config.compile(&world.path(""), None).map(drop).unwrap_err().to_string();
    let bad_glob = FileConfig { deny_read: Some(vec!["[".into()]), ..FileConfig::default() };
    assert!(compile(bad_glob).contains("`[` is not a valid glob"));
    let no_root = FileConfig { allowed_paths: vec!["missing".into()], ..FileConfig::default() };
    let missing = world.path("missing");
    assert_eq!(compile(no_root), format!("allowed root `{}` cannot be opened", missing.display()));
    assert!(serde_json::from_value::<FileConfig>(json!({"allowed_path": []})).is_err());
}
