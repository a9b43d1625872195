//! What is announced, in which order, and what the layers see.

use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tools_core::{
    Activity, ActivityBoard, Announce, CallContext, EventKind, Inspection, Invocation, Layer, Next, OptionalBoard,
    Outcome, Stack, Tool, ToolCall, ToolDef, ToolError, ToolErrorCategory, ToolKind, ToolOutput, ToolTraits, Typed,
};
use tools_testkit::{Behaviour, EventLog, FakeClock, ScriptedExecutor};

struct Named {
    name: &'static str,
    seen: Arc<Mutex<Vec<String>>>,
}

#[async_trait]
impl Layer for Named {
    fn name(&self) -> &'static str {
        self.name
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        self.seen.lock().expect("no layer panics here").push(format!("{} in", self.name));
        let outcome = next.run(inv).await;
        let said = outcome.as_ref().map_or_else(|error| error.code().to_owned(), |output| output.summary.clone());
        self.seen.lock().expect("no layer panics here").push(format!("{} out: {said}", self.name));
        outcome
    }
}

fn stack(behaviour: Behaviour) -> (Stack, Arc<Mutex<Vec<String>>>) {
    let seen = Arc::new(Mutex::new(vec![]));
    let named = |name| Arc::new(Named { name, seen: Arc::clone(&seen) }) as Arc<dyn Layer>;
    let layers = vec![Arc::new(Announce::default()) as Arc<dyn Layer>, named("outer"), named("inner")];
    (Stack::new(layers, ScriptedExecutor::new().tool("tool", ToolTraits::EDIT, behaviour)), seen)
}

fn call() -> ToolCall {
    ToolCall::new("tool", Value::Null).expect("a name and an object")
}

#[tokio::test]
async fn layers_run_in_their_order_and_see_the_panic_of_a_tool_as_a_failure() {
    let (stack, seen) = stack(Behaviour::Panic);
    assert_eq!(stack.layer_names(), ["announce", "outer", "inner"]);
    let error = stack.dispatch(call(), &CallContext::new("/")).await.unwrap_err();
    assert_eq!((error.category(), error.code()), (ToolErrorCategory::PermanentFailure, "panic"));
    assert_eq!(*seen.lock().unwrap(), ["outer in", "inner in", "inner out: panic", "outer out: panic"]);
}

struct Waiting;

#[async_trait]
impl Layer for Waiting {
    fn name(&self) -> &'static str {
        "waiting"
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        tokio::time::sleep(Duration::ZERO).await;
        next.run(inv).await
    }
}

#[test]
fn what_needs_another_runtime_says_so() {
    let tools = ScriptedExecutor::new().tool("tool", ToolTraits::EDIT, Behaviour::reply("done"));
    let stack = Stack::new(vec![Arc::new(Waiting)], tools);
    let check = |outcome: Outcome| {
        let error = outcome.unwrap_err();
        assert!(error.code() == "no_runtime" && error.suggestion().contains("enable_all"), "{error}");
    };
    let cx = CallContext::new("/");
    let bare = tokio::runtime::Builder::new_current_thread().build().unwrap();
    check(bare.block_on(stack.dispatch(call(), &cx)));
    let polled = pin!(stack.dispatch(call(), &cx)).as_mut().poll(&mut Context::from_waker(Waker::noop()));
    let Poll::Ready(outcome) = polled else { panic!("nothing is waited for") };
    check(outcome);
}

#[test]
fn a_deadline_that_no_runtime_can_keep_is_a_failure() {
    let (stack, _) = stack(Behaviour::reply("done"));
    let limited = CallContext::new("/").within(Duration::from_secs(5));
    let polled =
        |cx: &CallContext| pin!(stack.dispatch(call(), cx)).as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(polled(&limited), Poll::Ready(Err(error)) if error.code() == "no_runtime"));
    let bare = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let error = bare.block_on(stack.dispatch(call(), &limited)).unwrap_err();
    assert!(error.code() == "no_runtime" && error.suggestion().contains("enable_all"), "{error}");
    // Without one any way of polling does.
    assert!(matches!(polled(&CallContext::new("/")), Poll::Ready(Ok(_))));
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_hangs_ends_at_the_deadline() {
    let (stack, _) = stack(Behaviour::Hang);
    let cx = CallContext::new("/").until(Instant::now() + Duration::from_secs(30));
    let error = stack.dispatch(call(), &cx).await.unwrap_err();
    assert_eq!((error.category(), error.code()), (ToolErrorCategory::Timeout, "deadline"));
}

/// A tool that never finds out what a call would touch.
struct Pondering;

#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
struct NoArgs {}

impl Tool for Pondering {
    type Args = NoArgs;

    fn definition(&self) -> ToolDef {
        ToolDef::of::<NoArgs>("tool", ToolKind::Other, ToolTraits::EDIT)
    }

    async fn inspect(&self, _: &NoArgs, _: &CallContext) -> Result<Inspection, ToolError> {
        std::future::pending().await
    }

    async fn run(&self, _: NoArgs, _: &CallContext) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::default())
    }
}

#[tokio::test(start_paused = true)]
async fn a_look_that_hangs_ends_with_the_call() {
    let stack = Stack::new(vec![Arc::new(Announce::default())], Typed::new(Pondering));
    let call = || ToolCall::new("tool", serde_json::json!({})).unwrap();
    let cx = CallContext::new("/").until(Instant::now() + Duration::from_secs(30));
    assert_eq!(stack.dispatch(call(), &cx).await.unwrap_err().code(), "deadline");
    let cancel = CancellationToken::new();
    let cx = CallContext::new("/").with_cancel(cancel.clone());
    let soon = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(stack.dispatch(call(), &cx), soon);
    assert_eq!(outcome.unwrap_err().code(), "cancelled");
}

#[tokio::test]
async fn a_finished_call_shows_the_text_the_model_gets() {
    let (stack, _) = stack(Behaviour::reply("done"));
    let log = EventLog::default();
    let cx = CallContext::new("/").with_events(log.sink(&FakeClock::default()));
    stack.dispatch(call(), &cx).await.unwrap();
    let kinds: Vec<EventKind> = log.events().into_iter().map(|event| event.kind).collect();
    assert!(matches!(&kinds[0], EventKind::Started { tool, title, .. } if tool.as_str() == "tool" && title == "tool"));
    assert!(matches!(&kinds[1], EventKind::Finished { display, .. } if display == "done"));
}

#[tokio::test]
async fn a_journal_is_kept_per_call() {
    let (stack, _) = stack(Behaviour::reply("done"));
    let recorded = stack.run(call(), None, &CallContext::new("/")).await;
    assert!(recorded.outcome.is_ok());
    assert!(recorded.journal.values().is_empty());
}

/// A board that counts what stands on it, and remembers every title.
#[derive(Clone, Default)]
struct Board {
    standing: Arc<()>,
    titles: Arc<Mutex<Vec<String>>>,
}

impl ActivityBoard for Board {
    fn show(&self, activity: &Activity<'_>) -> Option<Box<dyn Send + Sync>> {
        self.titles.lock().unwrap().push(activity.title.clone());
        Some(Box::new(Arc::clone(&self.standing)))
    }
}

#[tokio::test(start_paused = true)]
async fn only_a_call_that_takes_long_is_shown_and_only_while_it_runs() {
    let board = Board::default();
    let standing = || Arc::strong_count(&board.standing) - 1;
    let stack = |behaviour| {
        let announce = Announce::default().showing_on(OptionalBoard::new(Arc::new(board.clone())));
        let executor = ScriptedExecutor::new().tool("tool", ToolTraits::EDIT, behaviour);
        Stack::new(vec![Arc::new(announce) as Arc<dyn Layer>], executor)
    };
    let base = standing();
    let cx = CallContext::new("/");
    stack(Behaviour::reply("done")).dispatch(call(), &cx).await.unwrap();
    assert!(board.titles.lock().unwrap().is_empty(), "it had ended before anybody could look");

    let hangs = stack(Behaviour::Hang);
    let held = standing();
    {
        let mut run = std::pin::pin!(hangs.dispatch(call(), &cx));
        assert!(tokio::time::timeout(Duration::from_millis(400), &mut run).await.is_err());
        assert_eq!(standing(), held, "not yet");
        assert!(tokio::time::timeout(Duration::from_millis(400), &mut run).await.is_err());
        assert_eq!(standing(), held + 1);
        assert_eq!(*board.titles.lock().unwrap(), ["tool"]);
    }
    assert_eq!(standing(), held, "its future was dropped");
    drop(hangs);
    assert_eq!(standing(), base);
}
