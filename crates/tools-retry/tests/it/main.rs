//! The layer in a stack, by a clock that only moves when nothing else can happen.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{sync::Arc, time::Duration};

use serde_json::json;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tools_core::{CallContext, Layer, Shared, Stack, ToolCall, ToolError, ToolErrorCategory, ToolTraits};
use tools_retry::{RetryConfig, RetryLayer};
use tools_testkit::{Behaviour, ScriptedExecutor};

fn house(traits: ToolTraits, attempts: u32) -> (Stack, ScriptedExecutor) {
    let config = RetryConfig { max_attempts: attempts, ..RetryConfig::default() };
    let layer = RetryLayer::new(Shared::new(config.compile().unwrap())).with_chance(|| 1.0);
    let broken = ToolError::new(ToolErrorCategory::ServerError, "broken", "m");
    let scripted = ScriptedExecutor::new().tool("t", traits, Behaviour::Fail(broken));
    (Stack::new(vec![Arc::new(layer) as Arc<dyn Layer>], scripted.clone()), scripted)
}

fn call() -> ToolCall {
    ToolCall::new("t", json!({})).unwrap()
}

#[tokio::test(start_paused = true)]
async fn it_is_tried_again_as_often_as_configured_and_the_attempts_are_counted() {
    let (stack, scripted) = house(ToolTraits::FETCH, 3);
    let start = Instant::now();
    let recorded = stack.run(call(), None, &CallContext::new("/")).await;
    assert_eq!(recorded.outcome.unwrap_err().code(), "broken");
    assert_eq!((scripted.ran().len(), recorded.journal.runs().count), (3, 3));
    assert_eq!(start.elapsed(), Duration::from_millis(1_500));
    let (stack, scripted) = house(ToolTraits::EDIT, 3);
    stack.dispatch(call(), &CallContext::new("/")).await.unwrap_err();
    assert_eq!(scripted.ran().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn neither_a_cancelled_call_nor_one_at_its_deadline_waits() {
    let (stack, scripted) = house(ToolTraits::FETCH, 3);
    let cancel = CancellationToken::new();
    let cx = CallContext::new("/").with_cancel(cancel.clone());
    let (outcome, ()) = tokio::join!(stack.dispatch(call(), &cx), async { cancel.cancel() });
    assert!(outcome.is_err() && scripted.ran().len() <= 1);
    let (stack, scripted) = house(ToolTraits::FETCH, 3);
    let cx = CallContext::new("/").until(Instant::now() + Duration::from_millis(600));
    assert_eq!(stack.dispatch(call(), &cx).await.unwrap_err().code(), "broken");
    assert_eq!(scripted.ran().len(), 2);
}
