//! A call that is started before the model has finished requesting it.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};

use crate::{
    BasisSlot, CallContext, ErasedToolExecutor, EventSink, ExecuteResult, Inspection, Invocation, StartedCall,
    ToolCall, ToolOrigin,
};

use super::panics::panic_to_error;

/// A call that runs before the answer of the model is complete. Clones share the run.
///
/// The run bypasses no gate. When the call is made, it goes through all layers, and the innermost
/// step takes this result instead of running the executor, provided that the parameters and
/// everything the call would touch are unchanged. Before that the result is not shown to anybody:
/// it causes no event, uses no quota, and is neither cached nor recorded. The run makes progress
/// only while [`EarlyRun::finished`] is awaited. Dropping the last clone cancels it.
#[derive(Clone)]
pub struct EarlyRun(Arc<Started>);

struct Started {
    inv: Invocation,
    basis: BasisSlot,
    running: Shared<BoxFuture<'static, ExecuteResult>>,
    is_taken: AtomicBool,
}

impl EarlyRun {
    /// Prepares the run of a call; `None` if it may change something, reach outside, or need a
    /// person.
    pub(super) fn start(inv: &Invocation, leaf: Arc<dyn ErasedToolExecutor>) -> Option<Self> {
        if !may_start_early(inv) {
            return None;
        }
        let basis = BasisSlot::default();
        let context = inv.context.clone().with_basis_slot(&basis).with_events(EventSink::none());
        let inv = inv.in_context(context);
        let (call, cx) = (Arc::clone(&inv.call), inv.context.clone());
        let running = async move {
            let executed = AssertUnwindSafe(leaf.execute_tool_call_erased(&call, &cx)).catch_unwind().await;
            panic_to_error(executed, call.tool.as_str())
        };
        let running = running.boxed().shared();
        Some(Self(Arc::new(Started { inv, basis, running, is_taken: AtomicBool::new(false) })))
    }

    /// The early run of a call; `None` if there is none.
    pub(super) fn of(cx: &CallContext) -> Option<&Self> {
        cx.started().and_then(StartedCall::get)
    }

    /// Drives the run to its end.
    pub async fn finished(&self) {
        let _ = self.0.running.clone().await;
    }

    /// The call that was started.
    pub fn call(&self) -> &ToolCall {
        &self.0.inv.call
    }

    /// Whether a call took the result.
    pub fn is_taken(&self) -> bool {
        self.0.is_taken.load(Ordering::Acquire)
    }

    /// The result for a call that passed all layers, with the notes made on the way to it; `None`
    /// if the call differs from the started one, or the result was taken already.
    pub(super) async fn take(&self, inv: &Invocation) -> Option<ExecuteResult> {
        let started = &self.0;
        if !is_same(&started.inv, inv) || started.is_taken.swap(true, Ordering::AcqRel) {
            return None;
        }
        let executed = started.running.clone().await;
        inv.context.journal().absorb(started.inv.context.journal());
        if let (Some(slot), Some(basis)) = (inv.context.basis(), started.basis.take()) {
            slot.leave(basis);
        }
        Some(executed)
    }
}

impl From<EarlyRun> for StartedCall {
    fn from(run: EarlyRun) -> Self {
        Self::new(run)
    }
}

impl fmt::Debug for EarlyRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EarlyRun").field(&self.0.inv.call).finish()
    }
}

/// Whether running the call is harmless if its result is never used.
fn may_start_early(inv: &Invocation) -> bool {
    let traits = inv.definition.trusted_traits();
    let is_harmless = traits.read_only && traits.idempotent && !traits.open_world;
    let is_ours = matches!(inv.definition.origin, ToolOrigin::Builtin | ToolOrigin::Host);
    let needs_nobody = |found: &Inspection| found.read_only && found.confirm.is_none();
    is_harmless && is_ours && inv.inspection().is_ok_and(needs_nobody)
}

/// Whether two calls have the same parameters, place and limits, and touch the same files in the
/// same state.
fn is_same(started: &Invocation, asked: &Invocation) -> bool {
    let has_same_subjects =
        || matches!((started.inspection(), asked.inspection()), (Ok(one), Ok(other)) if one == other);
    started.call.tool == asked.call.tool
        && started.call.params == asked.call.params
        && is_same_place(&started.context, &asked.context)
        && has_same_subjects()
}

fn is_same_place(one: &CallContext, other: &CallContext) -> bool {
    one.session() == other.session()
        && one.workdir() == other.workdir()
        && one.env() == other.env()
        && one.trust() == other.trust()
        && one.answer() == other.answer()
}
