//! Exactly one result per call, whatever layers and tools do.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use proptest::prelude::*;
use serde_json::json;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tools_core::{
    Announce, Approval, CallContext, CallerId, Invocation, Layer, Next, Outcome, Stack, ToolCall, ToolError,
    ToolErrorCategory, ToolTraits,
};
use tools_testkit::{Behaviour, EventLog, FakeClock, ScriptedExecutor};

#[derive(Debug, Clone, Copy)]
enum Mood {
    Passes,
    Denies,
    Panics,
    Repeats,
    HangsAfter,
}

struct Moody {
    mood: Mood,
    /// Calls that went in and did not come out; a destructor counts as coming out.
    inside: Arc<AtomicUsize>,
}

struct Leaving(Arc<AtomicUsize>);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl Layer for Moody {
    fn name(&self) -> &'static str {
        "moody"
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        self.inside.fetch_add(1, Ordering::SeqCst);
        let _leaving = Leaving(Arc::clone(&self.inside));
        match self.mood {
            Mood::Passes => next.run(inv).await,
            Mood::Denies => Err(ToolError::new(ToolErrorCategory::PolicyBlocked, "moody", "not today")),
            Mood::Panics => panic!("a layer broke"),
            Mood::Repeats => next.run(inv).await.or(next.run(inv).await),
            Mood::HangsAfter => {
                let outcome = next.run(inv).await;
                tokio::time::sleep(Duration::from_secs(3)).await;
                outcome
            }
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Leaf {
    Replies,
    Fails,
    Panics,
    Hangs,
    Missing,
    FailsInspecting,
}

#[derive(Debug, Clone, Copy)]
enum End {
    Waits,
    Cancels,
    Drops,
}

fn executor(leaf: Leaf) -> ScriptedExecutor {
    let failure = ToolError::new(ToolErrorCategory::ServerError, "script", "as told");
    let behaviour = match leaf {
        Leaf::Replies | Leaf::FailsInspecting => Behaviour::reply("done"),
        Leaf::Fails => Behaviour::Fail(failure.clone()),
        Leaf::Panics => Behaviour::Panic,
        Leaf::Hangs => Behaviour::Hang,
        Leaf::Missing => return ScriptedExecutor::new(),
    };
    match leaf {
        Leaf::FailsInspecting => ScriptedExecutor::new().inspected("tool", ToolTraits::EDIT, behaviour, Err(failure)),
        _ => ScriptedExecutor::new().tool("tool", ToolTraits::EDIT, behaviour),
    }
}

#[derive(Debug, Clone)]
struct Script {
    moods: Vec<Mood>,
    leaf: Leaf,
    end: End,
    confirmed: bool,
    deadline: bool,
}

fn scripts() -> impl Strategy<Value = Script> {
    let mood = prop_oneof![
        4 => Just(Mood::Passes),
        1 => Just(Mood::Denies),
        1 => Just(Mood::Panics),
        1 => Just(Mood::Repeats),
        1 => Just(Mood::HangsAfter),
    ];
    let leaf = prop_oneof![
        Just(Leaf::Replies),
        Just(Leaf::Fails),
        Just(Leaf::Panics),
        Just(Leaf::Hangs),
        Just(Leaf::Missing),
        Just(Leaf::FailsInspecting),
    ];
    let end = prop_oneof![Just(End::Waits), Just(End::Cancels), Just(End::Drops)];
    (prop::collection::vec(mood, 0..6), leaf, end, any::<bool>(), any::<bool>())
        .prop_map(|(moods, leaf, end, confirmed, deadline)| Script { moods, leaf, end, confirmed, deadline })
}

/// Plays a script and gives what the caller saw: `None` when it dropped the future before there was
/// a result.
async fn play(script: &Script, inside: &Arc<AtomicUsize>, log: &EventLog) -> Option<Outcome> {
    let mut layers: Vec<Arc<dyn Layer>> = vec![Arc::new(Announce::default())];
    let moody = |mood| Arc::new(Moody { mood, inside: Arc::clone(inside) }) as Arc<dyn Layer>;
    layers.extend(script.moods.iter().copied().map(moody));
    let stack = Stack::new(layers, executor(script.leaf));

    let cancel = CancellationToken::new();
    let mut cx = CallContext::new("/").with_events(log.sink(&FakeClock::default())).with_cancel(cancel.clone());
    // A tool that hangs needs somebody to end it.
    if script.deadline || (matches!(script.leaf, Leaf::Hangs) && matches!(script.end, End::Waits)) {
        cx = cx.until(Instant::now() + Duration::from_secs(5));
    }
    let call = ToolCall::new("tool", json!({})).expect("a name and an object");
    let by = CallerId::parse("tester").expect("a constant");
    let approval = script.confirmed.then(|| Approval::grant(&call, by, &FakeClock::default()));
    let running = stack.run(call, approval, &cx);
    match script.end {
        End::Waits => Some(running.await.outcome),
        End::Cancels => {
            let (recorded, ()) = tokio::join!(running, async {
                tokio::time::sleep(Duration::from_secs(1)).await;
                cancel.cancel();
            });
            Some(recorded.outcome)
        }
        End::Drops => tokio::time::timeout(Duration::from_secs(2), running).await.ok().map(|recorded| recorded.outcome),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_call_ends_once(script in scripts()) {
        // Panics are part of the script; their reports would drown a real failure.
        std::panic::set_hook(Box::new(|_| {}));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let (inside, log) = (Arc::new(AtomicUsize::new(0)), EventLog::default());
        let seen = runtime.block_on(play(&script, &inside, &log));
        let _ = std::panic::take_hook();

        prop_assert_eq!(inside.load(Ordering::SeqCst), 0, "nothing is left inside a layer");
        let words = log.words();
        prop_assert_eq!(words.len(), 2, "one start and one end: {:?}", words);
        prop_assert_eq!(words[0].as_str(), "started");
        let expected = match &seen {
            None => "finished cancelled",
            Some(Ok(_)) => "finished completed",
            Some(Err(error)) if error.category() == ToolErrorCategory::Cancelled => "finished cancelled",
            Some(Err(_)) => "finished failed",
        };
        prop_assert_eq!(words[1].as_str(), expected);
    }
}
