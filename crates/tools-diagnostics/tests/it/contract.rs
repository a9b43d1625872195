//! What every executor must hold to, and what gates see of a call.

use serde_json::json;
use tools_core::{Access, Subject, ToolCall, ToolErrorCategory, ToolExecutor as _, ToolTraits};

use crate::world::World;

fn call(params: serde_json::Value) -> ToolCall {
    ToolCall::new("diagnostics", params).unwrap()
}

#[tokio::test]
async fn the_protocol_holds() {
    let world = World::new();
    world.package("fn main() {}\n");
    world.files.file("x.c", "int main(void) { return 0; }\n");
    let samples = [call(json!({})), call(json!({"kind": "clippy", "path": "src"})), call(json!({"path": "x.c"}))];
    tools_testkit::contract::check(world.executor(), &world.files, &samples).await;
    assert_eq!(world.executor().tool_definitions()[0].traits, ToolTraits::CAUTIOUS, "build scripts run anything");
}

#[tokio::test]
async fn gates_see_the_command_and_the_project() {
    let world = World::new();
    world.package("fn main() {}\n");
    let seen =
        world.executor().inspect(&call(json!({"level": "clippy", "path": "src/main.rs"})), &world.context()).await;
    let seen = seen.unwrap();
    let argv = ["clippy", "--message-format=json", "--all-targets", "--keep-going"].map(str::to_owned).to_vec();
    let expected = [
        Subject::Command {
            line: "cargo clippy --message-format=json --all-targets --keep-going".to_owned(),
            program: "cargo".to_owned(),
            argv,
            via: Vec::new(),
        },
        Subject::path(world.files.root(), Access::Write),
    ];
    assert_eq!((seen.subjects.as_slice(), seen.read_only), (expected.as_slice(), false));
}

#[tokio::test]
async fn what_cannot_be_checked_is_refused_before_anything_runs() {
    let world = World::new();
    world.package("fn main() {}\n");
    world.files.file(".env.c", "int secret;\n");
    world.files.link("out", "/etc");
    let check = async |params: serde_json::Value, category, code| {
        let error = world.call(params.clone()).await.unwrap_err();
        assert_eq!((error.category(), error.code()), (category, code), "{params}: {error}");
    };
    check(json!({"path": "../x"}), ToolErrorCategory::PolicyBlocked, "sandbox_outside").await;
    check(json!({"path": "out"}), ToolErrorCategory::PolicyBlocked, "sandbox_outside").await;
    check(json!({"path": ".env.c"}), ToolErrorCategory::PolicyBlocked, "read_denied").await;
    check(json!({"path": "gone"}), ToolErrorCategory::PermanentFailure, "not_found").await;
    check(json!({"path": "a\u{0}b"}), ToolErrorCategory::InvalidParameters, "invalid_path").await;
    check(json!({"kind": "build"}), ToolErrorCategory::InvalidParameters, "invalid_parameters").await;
    check(json!({"max_diagnostics": "many"}), ToolErrorCategory::TypeMismatch, "type_mismatch").await;
}
