//! Running a call with a person at hand: every answer, what it leads to, and what those who watch
//! are told.

use std::sync::{Arc, Mutex};

use serde_json::json;
use tokio_util::sync::CancellationToken;
use tools_core::{
    Absence, Announce, Answer, Approval, ApprovalContext, CallContext, CallerId, ConfirmPrompt, ConfirmReason,
    Confirmer, Decisions, EventKind, Inspection, RecordedResult, Refusal, SessionId, Stack, StoredRule, Subject, Tool,
    ToolCall, ToolDef, ToolError, ToolErrorCategory, ToolKind, ToolOutput, ToolTraits, Typed, settle,
};
use tools_testkit::{EventLog, FakeClock};

/// Removes something.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Args {
    path: String,
}

struct Remove;

impl Tool for Remove {
    type Args = Args;
    fn definition(&self) -> ToolDef {
        ToolDef::of::<Args>("rm", ToolKind::Delete, ToolTraits::CAUTIOUS)
    }
    async fn inspect(&self, args: &Args, _: &CallContext) -> Result<Inspection, ToolError> {
        let inspection = Inspection::mutating().touching(Subject::Opaque { why: args.path.clone() });
        Ok(inspection.confirming(ConfirmReason::new("it deletes", "always")))
    }
    async fn run(&self, args: Args, _: &CallContext) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text(format!("removed {}", args.path)))
    }
}

/// Answers as it was told, and keeps what it was asked.
struct Person {
    answer: Answer,
    asked: Mutex<Vec<ConfirmPrompt>>,
    /// Cancelled while the question stands.
    interrupts: Option<CancellationToken>,
}

impl Person {
    fn saying(answer: Answer) -> Self {
        Self { answer, asked: Mutex::default(), interrupts: None }
    }
}

#[async_trait::async_trait]
impl Confirmer for Person {
    async fn confirm(&self, prompt: &ConfirmPrompt) -> Answer {
        self.asked.lock().unwrap().push(prompt.clone());
        if let Some(token) = &self.interrupts {
            token.cancel();
            std::future::pending::<()>().await;
        }
        self.answer.clone()
    }
}

#[derive(Default)]
struct Kept(Mutex<Vec<String>>);

#[async_trait::async_trait]
impl Decisions for Kept {
    fn allow_for_session(&self, _: &SessionId, rule: StoredRule) {
        self.0.lock().unwrap().push(format!("session {}", rule.pattern));
    }
    async fn allow_always(&self, cx: &CallContext, rule: StoredRule) {
        self.0.lock().unwrap().push(format!("always {} in {}", rule.pattern, cx.workdir().display()));
    }
    async fn reject_always(&self, cx: &CallContext, rule: StoredRule) {
        self.0.lock().unwrap().push(format!("never {} in {}", rule.pattern, cx.workdir().display()));
    }
    async fn declined(&self, call: ToolCall, _: &CallContext, refusal: Refusal, error: ToolError) {
        let why = refusal.why.unwrap_or_default();
        self.0.lock().unwrap().push(format!("{} {} by {}: {why}", error.code(), call.tool, refusal.by));
    }
}

/// Adds a rule to store to every question: what a gate would do.
struct Storing;

#[async_trait::async_trait]
impl tools_core::Layer for Storing {
    fn name(&self) -> &'static str {
        "storing"
    }
    async fn call(&self, inv: &tools_core::Invocation, next: tools_core::Next<'_>) -> tools_core::Outcome {
        next.run(inv).await.map_err(|error| match error.prompt().cloned() {
            Some(prompt) => {
                let rule = StoredRule::new(inv.call.tool.clone(), "x*".to_owned());
                error.with_prompt(prompt.storing(Some(rule)))
            }
            None => error,
        })
    }
}

fn stack() -> Stack {
    Stack::new(vec![Arc::new(Announce::default()), Arc::new(Storing)], Typed::new(Remove))
}

fn call(path: &str) -> ToolCall {
    ToolCall::new("rm", json!({"path": path})).unwrap()
}

async fn settled(person: &Person, path: &str, cx: &CallContext) -> (RecordedResult, Vec<String>) {
    let (stack, kept, by) = (stack(), Kept::default(), CallerId::parse("tester").unwrap());
    let asking = ApprovalContext { confirmer: person, decisions: Some(&kept), by: &by, clock: &FakeClock::default() };
    let run = |call, approval: Option<Approval>| stack.run(call, approval, cx);
    let recorded = settle(call(path), cx, asking, run).await;
    let kept = kept.0.lock().unwrap().clone();
    (recorded, kept)
}

#[tokio::test]
async fn every_answer_leads_where_it_should() {
    let check = async |answer: Answer, outcome: Result<&str, &str>, kept: &[&str]| {
        let person = Person::saying(answer.clone());
        let (recorded, stored) = settled(&person, "x", &CallContext::new("/w")).await;
        let ended = recorded.outcome.as_ref().map(|output| output.summary.as_str()).map_err(ToolError::code);
        assert_eq!(ended, outcome, "{answer:?}");
        assert_eq!(stored, kept, "{answer:?}");
        assert_eq!(person.asked.lock().unwrap().len(), 1, "a person is asked once");
    };
    check(Answer::Once, Ok("removed x"), &[]).await;
    check(Answer::Session, Ok("removed x"), &["session x*"]).await;
    check(Answer::Always, Ok("removed x"), &["always x* in /w"]).await;
    check(Answer::No(None), Err("declined"), &["declined rm by tester: "]).await;
    check(Answer::No(Some("use git".to_owned())), Err("declined"), &["declined rm by tester: use git"]).await;
    check(Answer::Nobody(Absence::CannotAsk), Err("nobody_to_ask"), &[]).await;
    check(Answer::Nobody(Absence::NoAnswer), Err("nobody_answered"), &[]).await;
    check(Answer::Nobody(Absence::Dismissed), Err("question_dismissed"), &[]).await;
}

#[tokio::test]
async fn what_cannot_be_shown_whole_is_not_asked() {
    let person = Person::saying(Answer::Once);
    let (recorded, _) = settled(&person, &"x".repeat(20_000), &CallContext::new("/w")).await;
    let refused = recorded.outcome.unwrap_err();
    assert_eq!((refused.category(), refused.code()), (ToolErrorCategory::ConfirmationRequired, "question_too_long"));
    assert!(refused.suggestion().contains("Split the command"), "{}", refused.suggestion());
    assert!(person.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn those_who_watch_are_told_that_a_person_is_asked() {
    let log = EventLog::default();
    let cx = CallContext::new("/w").with_events(log.sink(&FakeClock::default()));
    settled(&Person::saying(Answer::Once), "x", &cx).await;
    let expected = ["started", "finished failed", "confirmation_requested", "started", "finished completed"];
    assert_eq!(log.words(), expected);
    let events = log.events();
    assert!(events.iter().all(|event| event.call == events[0].call), "all of one call");
    let asked = events.iter().find_map(|event| match &event.kind {
        EventKind::ConfirmationRequested(prompt) => Some(prompt.reason.clone()),
        _ => None,
    });
    assert_eq!(asked.as_deref(), Some("it deletes"));
}

#[tokio::test]
async fn a_call_that_is_cancelled_while_the_question_stands_ends() {
    let token = CancellationToken::new();
    let person = Person { interrupts: Some(token.clone()), ..Person::saying(Answer::Once) };
    let (recorded, _) = settled(&person, "x", &CallContext::new("/w").with_cancel(token)).await;
    assert_eq!(recorded.outcome.unwrap_err().category(), ToolErrorCategory::Cancelled);
}
