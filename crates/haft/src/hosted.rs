//! Calls that another program runs: judged by the gates of a toolbox, and left to it.

use std::sync::Arc;

use tools_core::{ApprovalContext, CallContext, CallerId, Confirmer, SystemClock, ToolCall};
use tools_policy::{HostedCalls, HostedVerdict};

use crate::Toolbox;

impl Toolbox {
    /// Judges a call that another program runs, by the same gates as a call of our own, and puts it
    /// on record. Nothing runs.
    ///
    /// A call that cannot be judged, because its parameters are not understood or no tool has its
    /// name, needs a person. What a person could not be shown whole is refused.
    pub async fn judge(&self, call: ToolCall, cx: &CallContext) -> HostedVerdict {
        self.judging().judge(call, cx).await
    }

    /// The same for programs that cannot ask their user: `confirmer` asks, and what nobody answers
    /// still needs a person.
    pub async fn judge_asking(&self, call: ToolCall, cx: &CallContext, confirmer: &dyn Confirmer) -> HostedVerdict {
        let by = CallerId::person();
        let asking = ApprovalContext { confirmer, decisions: Some(self), by: &by, clock: &SystemClock };
        self.judging().judge_asking(call, cx, asking).await
    }

    fn judging(&self) -> HostedCalls {
        HostedCalls::new(self.parts.judging.clone(), Arc::clone(&self.stack))
    }
}
