//! Lets an agent make its calls through a toolbox: through all gates, counted against the quota and
//! recorded under the agent's session.

use std::sync::Arc;

use async_trait::async_trait;
use tools_agent::ToolHost;
use tools_core::{CallContext, Confirmer, EarlyRun, Invocation, RecordedResult, ToolCall, ToolDef, ToolDefs, ToolName};

use crate::Toolbox;

#[async_trait]
impl ToolHost for Toolbox {
    fn context(&self) -> CallContext {
        Self::context(self)
    }

    fn offered(&self, cx: &CallContext, text: &str, used: &[ToolName]) -> ToolDefs {
        self.turn(cx, text, used)
    }

    fn definition(&self, tool: &ToolName) -> Arc<ToolDef> {
        self.stack().definition_or_unknown(tool)
    }

    async fn inspect(&self, call: ToolCall, cx: &CallContext) -> Invocation {
        self.stack().inspect(call, cx).await
    }

    async fn call(&self, call: ToolCall, cx: &CallContext, confirmer: &dyn Confirmer) -> RecordedResult {
        Self::call(self, call, cx, confirmer).await
    }

    async fn start_early(&self, call: ToolCall, cx: &CallContext) -> Option<EarlyRun> {
        let inv = self.stack().inspect(call, cx).await;
        // If a model would have to judge the call first, the gates report that a person is asked.
        #[cfg(feature = "policy")]
        if self.parts().gates.explain(&inv).verdict != tools_core::Verdict::Allow {
            return None;
        }
        self.stack().start_early(&inv)
    }

    #[cfg(feature = "policy")]
    fn reserve(&self, cx: &CallContext, calls: u64) -> bool {
        self.parts().gates.state.ledger.reserve(cx, calls)
    }

    #[cfg(feature = "audit")]
    async fn refuse(&self, call: ToolCall, cx: &CallContext, error: tools_core::ToolError) -> tools_core::ToolError {
        let Some(record) = &self.parts().record else { return error };
        let inv = self.stack().inspect(call, cx).await;
        record.audit.refuse(&inv, error.clone()).err().unwrap_or(error)
    }

    fn heard(&self, cx: &CallContext, text: &str) {
        // Every message of the user begins a turn and ends the skill invoked for the one before.
        #[cfg(feature = "skills")]
        self.parts().skills.end_turn(cx.session());
        #[cfg(feature = "policy")]
        self.parts().gates.state.texts.user(cx.session(), text);
        #[cfg(not(feature = "policy"))]
        let _ = (cx, text);
    }
}
