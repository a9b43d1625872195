//! The contract of every executor.

use std::collections::BTreeSet;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use tools_core::{Approval, CallContext, CallerId, DynExecutor, Stack, ToolCall, ToolErrorCategory, ToolExecutor};

use crate::{FakeClock, Workspace};

/// Checks an executor against the contract. `samples` are valid calls of its own tools in
/// `workspace`.
///
/// - definitions are unique, described and consistent, and each input schema is an object's
/// - a call of an own tool is never answered with `None`; a foreign one always is, and has no
///   effect
/// - `inspect` leaves the workspace byte-identical
/// - an approval for another call is refused
/// - a cancelled call ends as `Cancelled`
///
/// # Panics
/// A rule is broken; the message names it.
pub async fn check(executor: impl ToolExecutor + 'static, workspace: &Workspace, samples: &[ToolCall]) {
    let executor = DynExecutor::new(executor);
    let cx = CallContext::new(workspace.root());
    definitions_are_sound(&executor);
    own_tools_are_answered(&executor, &cx).await;
    foreign_tools_are_left_alone(&executor, workspace, &cx).await;
    inspection_has_no_effect(&executor, workspace, &cx, samples).await;
    approvals_cover_one_call(&executor, workspace, &cx, samples).await;
    cancelled_calls_end(&executor, &cx, samples).await;
}

fn definitions_are_sound(executor: &DynExecutor) {
    let definitions = executor.tool_definitions();
    let names: BTreeSet<&str> = definitions.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names.len(), definitions.len(), "every tool has a name of its own");
    assert!(!names.contains("invalid_name"), "a tool was defined under a name that is none");
    for tool in definitions.iter() {
        assert_eq!(tool.traits.check(), Ok(()), "the traits of `{}` agree", tool.name);
        assert!(!tool.description.trim().is_empty(), "`{}` says what it is for", tool.name);
        assert_eq!(tool.input.get("type"), Some(&json!("object")), "`{}` takes an object", tool.name);
    }
}

async fn own_tools_are_answered(executor: &DynExecutor, cx: &CallContext) {
    for tool in executor.tool_definitions().iter() {
        // An unknown parameter keeps tools from running for real; an executor that accepts it still
        // answers.
        let call = call(tool.name.as_str(), json!({"no_such_parameter": true}));
        let dropped = CancellationToken::new();
        dropped.cancel();
        let cx = cx.clone().with_cancel(dropped.clone());
        let answered = tokio::select! {
            biased;
            executed = executor.execute_tool_call(&call, &cx) => !matches!(executed, Ok(None)),
            () = dropped.cancelled() => true,
        };
        assert!(answered, "`{}` is listed, so a call of it is not answered with `None`", tool.name);
    }
}

async fn foreign_tools_are_left_alone(executor: &DynExecutor, workspace: &Workspace, cx: &CallContext) {
    let before = workspace.digest();
    let call = call("no_tool_of_anyone", json!({"path": "x", "command": "touch x"}));
    let approval = approve(&call);
    assert!(executor.inspect(&call, cx).await.is_ok(), "a foreign call inspects as nothing");
    assert!(matches!(executor.execute_tool_call(&call, cx).await, Ok(None)), "a foreign call is not its own");
    let confirmed = executor.execute_tool_call_confirmed(&call, &approval, cx).await;
    assert!(matches!(confirmed, Ok(None)), "a foreign call is not its own, confirmed or not");
    assert_eq!(workspace.digest(), before, "a foreign call has no effect");
}

async fn inspection_has_no_effect(
    executor: &DynExecutor,
    workspace: &Workspace,
    cx: &CallContext,
    samples: &[ToolCall],
) {
    for sample in samples {
        let before = workspace.digest();
        let inspected = executor.inspect(sample, cx).await;
        assert!(inspected.is_ok(), "sample {sample:?} can be inspected: {inspected:?}");
        assert_eq!(workspace.digest(), before, "inspecting {sample:?} has no effect");
    }
}

async fn approvals_cover_one_call(
    executor: &DynExecutor,
    workspace: &Workspace,
    cx: &CallContext,
    samples: &[ToolCall],
) {
    for sample in samples {
        let before = workspace.digest();
        let other = approve(&call("another_tool", json!({})));
        let refused = executor.execute_tool_call_confirmed(sample, &other, cx).await;
        let code = refused.map(|_| ()).map_err(|error| error.code());
        assert_eq!(code, Err("approval_mismatch"), "an approval of another call is refused: {sample:?}");
        assert_eq!(workspace.digest(), before, "a refused call has no effect: {sample:?}");
    }
}

async fn cancelled_calls_end(executor: &DynExecutor, cx: &CallContext, samples: &[ToolCall]) {
    let stack = Stack::new(vec![], executor.clone());
    for sample in samples {
        let cancel = CancellationToken::new();
        cancel.cancel();
        let outcome = stack.dispatch(sample.clone(), &cx.clone().with_cancel(cancel)).await;
        let category = outcome.map(|_| ()).map_err(|error| error.category());
        assert_eq!(category, Err(ToolErrorCategory::Cancelled), "a cancelled call ends as such: {sample:?}");
    }
}

fn call(tool: &str, params: serde_json::Value) -> ToolCall {
    ToolCall::new(tool, params).expect("a listed name and an object make a call")
}

fn approve(call: &ToolCall) -> Approval {
    let by = CallerId::parse("tester").expect("a constant");
    Approval::grant(call, by, &FakeClock::default())
}
