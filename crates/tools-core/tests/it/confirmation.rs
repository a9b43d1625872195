//! Consent covers one call, and the two paths stay apart.

use std::sync::Arc;

use serde_json::{Value, json};
use tools_core::{
    Announce, Approval, CallContext, CallerId, ConfirmReason, Inspection, Stack, ToolCall, ToolErrorCategory,
    ToolTraits,
};
use tools_testkit::{Behaviour, EventLog, FakeClock, PathTaken, ScriptedExecutor};

fn careful() -> (Stack, ScriptedExecutor) {
    let reason = ConfirmReason::new("it deletes", "always");
    let inspection = Inspection::mutating().confirming(reason);
    let executor =
        ScriptedExecutor::new().inspected("rm", ToolTraits::CAUTIOUS, Behaviour::reply("gone"), Ok(inspection));
    (Stack::new(vec![Arc::new(Announce::default())], executor.clone()), executor)
}

fn call(params: Value) -> ToolCall {
    ToolCall::new("rm", params).expect("a name and an object")
}

fn approval(call: &ToolCall) -> Approval {
    Approval::grant(call, CallerId::parse("tester").expect("a constant"), &FakeClock::default())
}

#[tokio::test]
async fn what_needs_a_person_does_not_run_without_one() {
    let (stack, executor) = careful();
    let refused = stack.dispatch(call(json!({"path": "a"})), &CallContext::new("/")).await.unwrap_err();
    assert_eq!(refused.category(), ToolErrorCategory::ConfirmationRequired);
    assert_eq!(executor.ran(), []);
}

#[tokio::test]
async fn a_yes_runs_the_call_once_on_the_confirmed_path() {
    let (stack, executor) = careful();
    let call = call(json!({"path": "a"}));
    let consent = approval(&call);
    let output = stack.dispatch_confirmed(call, consent, &CallContext::new("/")).await.unwrap();
    assert_eq!(output.summary, "gone");
    assert_eq!(executor.ran().iter().map(|ran| ran.path).collect::<Vec<_>>(), [PathTaken::Confirmed]);
}

#[tokio::test]
async fn a_yes_to_another_call_is_refused_on_record() {
    let (stack, executor) = careful();
    let log = EventLog::default();
    let cx = CallContext::new("/").with_events(log.sink(&FakeClock::default()));
    let consent = approval(&call(json!({"path": "a"})));
    let refused = stack.dispatch_confirmed(call(json!({"path": "b"})), consent, &cx).await.unwrap_err();
    assert_eq!((refused.category(), refused.code()), (ToolErrorCategory::PolicyBlocked, "approval_mismatch"));
    assert_eq!(executor.ran(), []);
    assert_eq!(log.words(), ["started", "finished failed"]);
}
