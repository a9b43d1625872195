//! Judges and records calls that another program runs, like own calls, without running them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tools_core::{
    Approval, ApprovalContext, CallContext, ExecuteResult, Inspection, Layer, Outcome, Question, Stack, ToolCall,
    ToolDefs, ToolError, ToolErrorCategory, ToolExecutor, ToolOutput, Verdict, VisibleText, refusal, settle,
};

/// The decision about a call that another program runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostedVerdict {
    /// Whether it may run, needs a person, or may not.
    pub verdict: Verdict,
    /// The reason and the next step, for the person who is asked or the model that is refused.
    /// Empty if the call may run.
    pub reason: String,
    /// Whether a person was asked and approved the call.
    pub approved: bool,
}

/// Judges calls that another program runs by the same gates as own calls. Nothing runs.
pub struct HostedCalls(Stack);

impl HostedCalls {
    /// Judges calls of the tools of `stack` by these layers, outermost first.
    pub fn new(layers: Vec<Arc<dyn Layer>>, stack: Arc<Stack>) -> Self {
        Self(Stack::new(layers, InertTools(stack)))
    }

    /// Judges a call.
    ///
    /// A call that cannot be judged, because its parameters are not understood or no tool has its
    /// name, needs a person. A call that cannot be shown to a person in full is refused.
    pub async fn judge(&self, call: ToolCall, cx: &CallContext) -> HostedVerdict {
        HostedVerdict::of(&self.0.dispatch(call, cx).await)
    }

    /// Like [`Self::judge`], for programs that cannot ask their user: `asking` asks. Unanswered
    /// calls still need a person.
    pub async fn judge_asking(&self, call: ToolCall, cx: &CallContext, asking: ApprovalContext<'_>) -> HostedVerdict {
        let approved = AtomicBool::new(false);
        let run = |call, approval: Option<Approval>| {
            approved.fetch_or(approval.is_some(), Ordering::Relaxed);
            self.0.run(call, approval, cx)
        };
        let judged = HostedVerdict::of(&settle(call, cx, asking, run).await.outcome);
        HostedVerdict { approved: judged.verdict == Verdict::Allow && approved.into_inner(), ..judged }
    }
}

impl HostedVerdict {
    fn of(outcome: &Outcome) -> Self {
        let Err(error) = outcome else {
            return Self { verdict: Verdict::Allow, reason: String::new(), approved: false };
        };
        let question = error.prompt().map(Question::of);
        let refused = |error: &ToolError| format!("haft refuses: {}. {}", error.message(), error.suggestion());
        let (verdict, reason) = match (error.category(), question) {
            (_, Some(Err(too_long))) => (Verdict::Deny, refused(&refusal(error, &too_long))),
            _ if error.code() == "declined" => (Verdict::Deny, refused(error)),
            (ToolErrorCategory::PolicyBlocked, None) => (Verdict::Deny, refused(error)),
            (ToolErrorCategory::PolicyBlocked, Some(Ok(question))) => {
                (Verdict::Deny, format!("haft refuses: {}", question.line()))
            }
            (_, Some(Ok(question))) => (Verdict::Ask, format!("haft asks: {}", question.line())),
            // A call that was not understood was not judged either.
            (_, None) => (Verdict::Ask, format!("haft asks: {}", error.message())),
        };
        Self { verdict, reason: VisibleText::of(reason.trim_end()).to_string(), approved: false }
    }
}

/// The tools of a stack for inspection only: the requesting program runs the call.
struct InertTools(Arc<Stack>);

impl InertTools {
    async fn looked_at(&self, call: &ToolCall, cx: &CallContext) -> ExecuteResult {
        self.inspect(call, cx).await?;
        Ok(Some(ToolOutput::text("left to the host")))
    }
}

impl ToolExecutor for InertTools {
    fn tool_definitions(&self) -> ToolDefs {
        self.0.definitions()
    }

    async fn inspect(&self, call: &ToolCall, cx: &CallContext) -> Result<Inspection, ToolError> {
        self.0.inspect(call.clone(), cx).await.inspection().cloned()
    }

    async fn execute_tool_call(&self, call: &ToolCall, cx: &CallContext) -> ExecuteResult {
        self.looked_at(call, cx).await
    }

    async fn execute_tool_call_confirmed(&self, call: &ToolCall, _: &Approval, cx: &CallContext) -> ExecuteResult {
        self.looked_at(call, cx).await
    }
}
