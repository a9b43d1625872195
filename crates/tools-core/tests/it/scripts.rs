//! Files of code that a call runs: what runs is what was judged, and what a person agreed to.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tools_core::{
    Answer, Approval, ApprovalContext, CallContext, CallerId, ConfirmPrompt, ConfirmReason, Confirmer, ContentDigest,
    Inspection, Outcome, Script, Stack, Subject, Tool, ToolCall, ToolDef, ToolError, ToolKind, ToolOutput, ToolTraits,
    Typed, settle,
};
use tools_testkit::FakeClock;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Args {
    asks: bool,
}

/// Runs a file that holds another text from a certain look on.
struct Runs {
    looks: Arc<AtomicUsize>,
    changes_at: usize,
}

impl Tool for Runs {
    type Args = Args;
    fn definition(&self) -> ToolDef {
        ToolDef::of::<Args>("run", ToolKind::Execute, ToolTraits::CAUTIOUS)
    }
    async fn inspect(&self, args: &Args, _: &CallContext) -> Result<Inspection, ToolError> {
        let look = self.looks.fetch_add(1, Ordering::Relaxed);
        let text = if look < self.changes_at { "before" } else { "after" };
        let script = Script { digest: Some(ContentDigest::of(text.as_bytes())), ..Script::unknown("/w/x.sh") };
        let found = Inspection::mutating().touching(Subject::Script { command: "x.sh".to_owned(), script });
        Ok(if args.asks { found.confirming(ConfirmReason::new("it runs", "always")) } else { found })
    }
    async fn run(&self, _: Args, _: &CallContext) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text("ran"))
    }
}

struct Agreeing;

#[async_trait::async_trait]
impl Confirmer for Agreeing {
    async fn confirm(&self, _: &ConfirmPrompt) -> Answer {
        Answer::Once
    }
}

/// How a call ends, and how often its tool looked, where the file changes before a look.
async fn ended(asks: bool, changes_at: usize) -> (Outcome, usize) {
    let looks = Arc::new(AtomicUsize::new(0));
    let stack = Stack::new(vec![], Typed::new(Runs { looks: Arc::clone(&looks), changes_at }));
    let cx = CallContext::new("/w");
    let by = CallerId::parse("tester").unwrap();
    let asking = ApprovalContext { confirmer: &Agreeing, decisions: None, by: &by, clock: &FakeClock::default() };
    let call = ToolCall::new("run", json!({"asks": asks})).unwrap();
    let recorded = settle(call, &cx, asking, |call, approval: Option<Approval>| stack.run(call, approval, &cx)).await;
    (recorded.outcome, looks.load(Ordering::Relaxed))
}

#[tokio::test]
async fn what_runs_is_what_was_judged_and_agreed_to() {
    let check = async |asks: bool, changes_at: usize, expected: Result<&str, &str>| {
        let (outcome, looks) = ended(asks, changes_at).await;
        let outcome = outcome.as_ref().map(|output| output.summary.as_str()).map_err(ToolError::code);
        assert_eq!(outcome, expected, "asks: {asks}, changes at {changes_at} of {looks} looks");
    };
    // Judged, and looked at again just before the run.
    check(false, 9, Ok("ran")).await;
    check(false, 0, Ok("ran")).await;
    check(false, 1, Err("script_changed")).await;
    // The same twice, with a question in between.
    check(true, 9, Ok("ran")).await;
    check(true, 1, Err("script_changed")).await;
    check(true, 2, Err("script_changed")).await;
    check(true, 3, Err("script_changed")).await;
    check(true, 4, Ok("ran")).await;
}

#[tokio::test]
async fn consent_given_beforehand_is_to_whatever_the_file_holds_when_it_is_judged() {
    let looks = Arc::new(AtomicUsize::new(0));
    let stack = Stack::new(vec![], Typed::new(Runs { looks, changes_at: 9 }));
    let call = ToolCall::new("run", json!({"asks": true})).unwrap();
    let approval = Approval::grant(&call, CallerId::parse("tester").unwrap(), &FakeClock::default());
    let outcome = stack.dispatch_confirmed(call, approval, &CallContext::new("/w")).await;
    assert_eq!(outcome.unwrap().summary, "ran");
}
