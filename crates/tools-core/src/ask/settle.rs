//! Runs a call with a person at hand: run, ask, run once more.

use super::{ApprovalRequest, Confirmer, Decisions, Desk};
use crate::{
    Approval, CallContext, CallerId, Clock, EventKind, RecordedResult, Stack, SystemClock, ToolCall, ToolError,
    ToolErrorCategory,
};

/// The confirmer, the store of its rules, and the name for the record.
#[derive(Clone, Copy)]
pub struct ApprovalContext<'a> {
    /// Asks the question.
    pub confirmer: &'a dyn Confirmer,
    /// Stores rules and refusals; `None` if the host keeps neither.
    pub decisions: Option<&'a dyn Decisions>,
    /// Name of the answering person, for the record.
    pub by: &'a CallerId,
    /// The time of consent.
    pub clock: &'a dyn Clock,
}

/// Runs a call. If a person has to agree, asks them, and runs the call again with their consent.
/// Asks at most once.
///
/// `run` dispatches the call through a [`crate::Stack`] under `cx`. A call that is cancelled while
/// the question is open ends at once.
pub async fn settle<F>(
    call: ToolCall,
    cx: &CallContext,
    asking: ApprovalContext<'_>,
    run: impl Fn(ToolCall, Option<Approval>) -> F,
) -> RecordedResult
where
    F: Future<Output = RecordedResult>,
{
    let recorded = run(call.clone(), None).await;
    let asked = match ApprovalRequest::about(&call, &recorded.outcome) {
        Ok(Some(asked)) => asked,
        Ok(None) => return recorded,
        Err(error) => return RecordedResult { outcome: Err(error), ..recorded },
    };
    announce(&asked, &call, cx).await;
    let answer = tokio::select! {
        biased;
        () = cx.cancel().cancelled() => return RecordedResult { outcome: Err(cancelled(&call)), ..recorded },
        answer = asking.confirmer.confirm(asked.prompt()) => answer,
    };
    let settled = asked.answered(answer, asking.by.clone(), asking.clock);
    match settled.apply(asking.decisions, cx).await {
        Ok((call, approval)) => run(call, Some(approval)).await,
        Err(error) => RecordedResult { outcome: Err(error), ..recorded },
    }
}

impl Stack {
    /// Runs a call. If a person has to agree, `confirmer` asks them, and the call is judged again
    /// with their consent. Questions of the running tool go to `confirmer`, too. `decisions` stores
    /// rules and refusals.
    pub async fn ask(
        &self,
        call: ToolCall,
        cx: &CallContext,
        confirmer: &dyn Confirmer,
        decisions: Option<&dyn Decisions>,
    ) -> RecordedResult {
        let (questions, desk) = Desk::open();
        let cx = &cx.clone().with_questions(questions);
        let asking = ApprovalContext { confirmer, decisions, by: &CallerId::person(), clock: &SystemClock };
        desk.while_running(confirmer, settle(call, cx, asking, |call, approval| self.run(call, approval, cx))).await
    }

    /// Runs a call that a person agreed to beforehand, needed or not. Every gate judges it. Its
    /// questions while it runs go to `confirmer`.
    pub async fn run_approved(&self, call: ToolCall, cx: &CallContext, confirmer: &dyn Confirmer) -> RecordedResult {
        let approval = Approval::grant(&call, CallerId::person(), &SystemClock);
        let (questions, desk) = Desk::open();
        let cx = &cx.clone().with_questions(questions);
        desk.while_running(confirmer, self.run(call, Some(approval), cx)).await
    }
}

/// Reports to watchers of the call that a person is asked. Also for hosts that ask in a later
/// request.
pub async fn announce(asked: &ApprovalRequest, call: &ToolCall, cx: &CallContext) {
    let events = cx.events().bound_to(&call.id);
    if events.is_live() {
        events.send(EventKind::ConfirmationRequested(Box::new(asked.prompt().clone()))).await;
    }
}

fn cancelled(call: &ToolCall) -> ToolError {
    let message = format!("the call of `{}` was cancelled before it was approved", call.tool);
    ToolError::new(ToolErrorCategory::Cancelled, "cancelled", message)
}
