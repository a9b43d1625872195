//! Layers around a call: one object-safe method in an ordered list.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::FutureExt;
use tokio::time::{Sleep, sleep_until};

use crate::{
    Approval, CallContext, EarlyRun, ErasedToolExecutor, Invocation, ToolCall, ToolError, ToolErrorCategory,
    ToolOutput, Verdict, either, nearest,
};

use super::panics::{no_runtime, panic_to_error};

/// Result of a dispatched call: exactly one of these, whatever happens.
pub type Outcome = Result<ToolOutput, ToolError>;

/// One thing that happens around every call. Called by [`Next::run`] of the layer outside it; calls
/// `next.run` to go on, or returns without it to refuse or to answer itself.
///
/// Whatever it awaits can be dropped: clean up in `Drop`.
#[async_trait]
pub trait Layer: Send + Sync {
    /// Its permanent snake_case name, for `haft layers` and the audit.
    fn name(&self) -> &'static str;

    /// Returns whether it refuses every call of a tool, regardless of parameters: then a model is
    /// not shown the tool.
    fn hides(&self, tool: &str) -> bool {
        let _ = tool;
        false
    }

    /// Handles a call.
    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome;
}

impl fmt::Debug for dyn Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Description of a layer for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerInfo {
    /// Its permanent name.
    pub name: &'static str,
    /// The crate it lives in.
    pub owner: &'static str,
    /// The categories and codes it refuses with; empty when it refuses nothing.
    pub refuses_with: &'static [&'static str],
    /// Reason of its position among the others.
    pub why: &'static str,
}

/// Asks the gates about a call without running it: the verdict, and the rule or default behind it.
pub type Explain = Arc<dyn Fn(&Invocation) -> (Verdict, String) + Send + Sync>;

/// The consent state of a call. Only the two entry points of [`crate::Stack`] create one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Path<'a> {
    Unconfirmed,
    Confirmed(&'a Approval),
    /// Nobody was asked, and a gate found a rule that answers the tool's own request for a person.
    Answered,
    /// The approval is for another call, or the meant call cannot be determined: the call passes
    /// the layers to be recorded, and ends there.
    Mismatched,
}

/// The layers further in, and the executor.
#[derive(Clone, Copy)]
pub struct Next<'a> {
    pub(crate) rest: &'a [Arc<dyn Layer>],
    pub(crate) leaf: &'a dyn ErasedToolExecutor,
    pub(crate) path: Path<'a>,
}

impl Next<'_> {
    /// Goes on with the call. May be called again by a layer that retries.
    ///
    /// A panic further in becomes `PermanentFailure/panic`: the layers outside always see a result.
    ///
    /// # Errors
    /// Whatever the layers further in or the executor refuse or fail with.
    pub async fn run(self, inv: &Invocation) -> Outcome {
        match self.rest.split_first() {
            Some((layer, rest)) => {
                let further = Next { rest, ..self };
                inv.context.journal().entering();
                panic_to_error(AssertUnwindSafe(layer.call(inv, further)).catch_unwind().await, layer.name())
            }
            None => self.execute(inv).await,
        }
    }

    /// The consent this call runs under; `None` when nobody was asked.
    pub fn approval(&self) -> Option<&Approval> {
        match self.path {
            Path::Confirmed(approval) => Some(approval),
            Path::Unconfirmed | Path::Answered | Path::Mismatched => None,
        }
    }

    /// Marks the tool's own request for a person ([`crate::Inspection::confirm`]) as answered by a
    /// rule that names exactly this call.
    ///
    /// # Security
    /// For gates, and only if somebody wrote or agreed to a rule without wildcards. It answers only
    /// the tool's request, not the verdicts of gates further in.
    #[must_use]
    pub fn answered(self) -> Self {
        match self.path {
            Path::Unconfirmed => Self { path: Path::Answered, ..self },
            Path::Confirmed(_) | Path::Answered | Path::Mismatched => self,
        }
    }

    /// Runs the executor with cancellation, deadline and panic handling.
    async fn execute(self, inv: &Invocation) -> Outcome {
        let (call, cx) = (inv.call.as_ref(), &inv.context);
        // The consent is to the original call, which the stack has checked.
        let rebound = match self.path {
            Path::Confirmed(approval) => inv.rewritten.then(|| approval.rebound(call)),
            Path::Answered => Some(Approval::by_rule(call)),
            Path::Unconfirmed | Path::Mismatched => None,
        };
        let running = match (self.path, &rebound) {
            (Path::Mismatched, _) => return Err(inv.inspection().err().unwrap_or_else(|| Approval::mismatch(call))),
            (_, Some(approval)) | (Path::Confirmed(approval), None) => {
                self.leaf.execute_tool_call_confirmed_erased(call, approval, cx)
            }
            (Path::Unconfirmed | Path::Answered, None) => self.leaf.execute_tool_call_erased(call, cx),
        };
        let running = async {
            // Inside the race: a call that is cancelled before its first step was never executed.
            cx.journal().executing();
            if let (Path::Unconfirmed, Some(early)) = (self.path, EarlyRun::of(cx))
                && let Some(executed) = early.take(inv).await
            {
                return Ok(executed);
            }
            AssertUnwindSafe(running).catch_unwind().await
        };
        let executed = panic_to_error(run_until_deadline(call, cx, running).await?, call.tool.as_str())?;
        executed.ok_or_else(|| self.not_found(call))
    }

    /// Whether a layer further in refuses every call of a tool.
    pub(crate) fn hides(&self, tool: &str) -> bool {
        self.rest.iter().any(|layer| layer.hides(tool))
    }

    /// The error for a tool that nobody owns, with similar names among the tools shown to a model.
    pub(crate) fn not_found(&self, call: &ToolCall) -> ToolError {
        let definitions = self.leaf.tool_definitions_erased();
        let names = definitions.iter().map(|definition| definition.name.as_str());
        not_found(call, names.filter(|name| !self.hides(name)))
    }
}

/// The result of a part of a call, unless the call is cancelled or its deadline passes first.
///
/// # Errors
/// `Cancelled` or `Timeout` in these cases; also if no runtime can keep the deadline.
pub(super) async fn run_until_deadline<T>(
    call: &ToolCall,
    cx: &CallContext,
    part: impl Future<Output = T>,
) -> Result<T, ToolError> {
    let timer = timer(call, cx)?;
    tokio::select! {
        biased;
        () = cx.cancel().cancelled() => Err(cancelled(call)),
        () = elapsed(timer) => Err(timed_out(call)),
        done = part => Ok(done),
    }
}

/// The timer of the deadline. Creating it panics without a runtime with timers: there is no other
/// way to detect that.
fn timer(call: &ToolCall, cx: &CallContext) -> Result<Option<Sleep>, ToolError> {
    let Some(at) = cx.deadline() else { return Ok(None) };
    catch_unwind(|| sleep_until(at)).map(Some).map_err(|_| no_timers(call))
}

async fn elapsed(timer: Option<Sleep>) {
    match timer {
        Some(timer) => timer.await,
        None => std::future::pending().await,
    }
}

fn no_timers(call: &ToolCall) -> ToolError {
    no_runtime(format!("the call of `{}` has a deadline, and the program has no timers to keep it", call.tool))
}

fn cancelled(call: &ToolCall) -> ToolError {
    ToolError::new(ToolErrorCategory::Cancelled, "cancelled", format!("the call of `{}` was cancelled", call.tool))
}

fn timed_out(call: &ToolCall) -> ToolError {
    ToolError::new(
        ToolErrorCategory::Timeout,
        "deadline",
        format!("the call of `{}` was stopped at its deadline", call.tool),
    )
}

pub(crate) fn not_found<'a>(call: &ToolCall, names: impl IntoIterator<Item = &'a str>) -> ToolError {
    let near = nearest(call.tool.as_str(), names);
    let error =
        ToolError::new(ToolErrorCategory::ToolNotFound, "tool_not_found", format!("there is no tool `{}`", call.tool));
    if near.is_empty() {
        return error;
    }
    error.with_suggestion(format!("Did you mean {}?", either(&near)))
}
