//! Several executors as one, and names that nobody owns.

use serde_json::{Value, json};
use tools_core::{
    CallContext, CompositeExecutor, DynExecutor, Stack, ToolCall, ToolErrorCategory, ToolExecutor, ToolTraits, Typed,
    is_tool_retryable,
};

use tools_testkit::{Behaviour, ScriptedExecutor, Workspace, contract};

use crate::typed::Echo;

fn speaking(name: &str, text: &str) -> ScriptedExecutor {
    ScriptedExecutor::new().tool(name, ToolTraits::READ_ONLY, Behaviour::reply(text))
}

fn call(tool: &str) -> ToolCall {
    ToolCall::new(tool, Value::Null).expect("a name and an object")
}

#[tokio::test]
async fn the_first_owner_of_a_name_has_it() {
    let composite = CompositeExecutor::new([
        DynExecutor::new(speaking("read", "first")),
        DynExecutor::new(speaking("read", "second").tool("grep", ToolTraits::FETCH, Behaviour::reply("found"))),
    ]);
    let names: Vec<String> = composite.tool_definitions().iter().map(|tool| tool.name.to_string()).collect();
    assert_eq!(names, ["read", "grep"]);
    let definitions = composite.tool_definitions();
    let retryable = |call: &ToolCall| is_tool_retryable(&definitions, &call.tool);
    assert_eq!([retryable(&call("read")), retryable(&call("grep")), retryable(&call("rm"))], [false, true, false]);

    let stack = Stack::new(vec![], composite);
    let cx = CallContext::new("/");
    assert_eq!(stack.dispatch(call("read"), &cx).await.unwrap().summary, "first");
    assert_eq!(stack.dispatch(call("grep"), &cx).await.unwrap().summary, "found");
}

#[tokio::test]
async fn an_unknown_tool_is_named_with_its_neighbours() {
    let stack = Stack::new(vec![], speaking("read", "x").tool("write", ToolTraits::EDIT, Behaviour::reply("y")));
    let error = stack.dispatch(call("raed"), &CallContext::new("/")).await.unwrap_err();
    assert_eq!(error.category(), ToolErrorCategory::ToolNotFound);
    assert_eq!(error.to_string(), "there is no tool `raed`");
    assert_eq!(error.suggestion(), "Did you mean `read`?");
}

#[tokio::test]
async fn executors_and_their_wrappers_hold_to_the_contract() {
    let workspace = Workspace::new();
    let checked = || Typed::new(Echo);
    let echo = ToolCall::new("echo", json!({"text": "hi"})).expect("a name and an object");
    contract::check(checked(), &workspace, std::slice::from_ref(&echo)).await;
    contract::check(DynExecutor::new(checked()), &workspace, std::slice::from_ref(&echo)).await;
    contract::check(CompositeExecutor::new([DynExecutor::new(checked())]), &workspace, &[echo]).await;
}
