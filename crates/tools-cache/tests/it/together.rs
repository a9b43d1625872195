//! Calls at one time.

use std::sync::Arc;

use serde_json::json;
use tools_core::ToolCall;

use crate::world::{World, hit};

fn call(world: &Arc<World>, tool: &'static str) -> impl Future<Output = tools_core::RecordedResult> + use<> {
    let world = Arc::clone(world);
    async move { world.call_in(&world.cx, tool, json!({"waits": true})).await }
}

#[tokio::test]
async fn identical_calls_run_once() {
    let world = Arc::new(World::new());
    let calls: Vec<_> = (0..20).map(|_| tokio::spawn(call(&world, "looks"))).collect();
    let mut hits = 0;
    for call in calls {
        let recorded = call.await.unwrap();
        hits += u32::from(hit(&recorded) == Some(true));
        assert_eq!(recorded.outcome.unwrap().summary, "run 0");
    }
    assert_eq!((world.runs(), hits), (1, 19));
}

#[tokio::test]
async fn a_call_that_is_dropped_lets_the_next_one_run() {
    let world = Arc::new(World::new());
    let first = tokio::spawn(call(&world, "looks"));
    tokio::task::yield_now().await;
    let second = tokio::spawn(call(&world, "looks"));
    tokio::task::yield_now().await;
    first.abort();
    assert!(first.await.is_err());
    assert_eq!(second.await.unwrap().outcome.unwrap().summary, "run 1");
}

#[tokio::test]
async fn what_is_read_while_the_session_changes_something_is_not_kept() {
    let world = Arc::new(World::new());
    let writing = tokio::spawn(call(&world, "writes"));
    tokio::task::yield_now().await;
    assert_eq!(world.is_hit("fetches", json!({})).await, Some(false));
    writing.await.unwrap();
    assert_eq!(world.is_hit("fetches", json!({})).await, Some(false));
    // The other way round: the reading began first and ends after the change.
    let reading = tokio::spawn(call(&world, "fetches"));
    tokio::task::yield_now().await;
    world.call_in(&world.cx, "writes", json!({})).await;
    reading.await.unwrap();
    assert_eq!(world.is_hit("fetches", json!({"waits": true})).await, Some(false));
}

#[tokio::test]
async fn a_change_that_is_dropped_counts_as_one() {
    let world = Arc::new(World::new());
    world.is_hit("fetches", json!({})).await;
    let writing = tokio::spawn(call(&world, "writes"));
    tokio::task::yield_now().await;
    writing.abort();
    assert!(writing.await.is_err());
    assert_eq!(world.is_hit("fetches", json!({})).await, Some(false));
    assert_eq!(world.is_hit("fetches", json!({})).await, Some(true));
}

#[tokio::test]
async fn a_call_that_is_cancelled_in_the_line_ends() {
    let world = Arc::new(World::new());
    let first = tokio::spawn(call(&world, "looks"));
    tokio::task::yield_now().await;
    let cx = world.cx.clone().with_cancel(tokio_util::sync::CancellationToken::new());
    let waiting = {
        let (world, cx) = (Arc::clone(&world), cx.clone());
        let call = ToolCall::new("looks", json!({"waits": true})).unwrap();
        tokio::spawn(async move { world.stack.dispatch(call, &cx).await })
    };
    tokio::task::yield_now().await;
    cx.cancel().cancel();
    assert_eq!(waiting.await.unwrap().unwrap_err().code(), "cancelled");
    assert_eq!(first.await.unwrap().outcome.unwrap().summary, "run 0");
}
