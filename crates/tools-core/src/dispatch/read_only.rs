//! The tools of an executor that never change anything, whatever the parameters. Calls of its other
//! tools end like calls of unknown tools.

use crate::{
    Approval, CallContext, DynExecutor, ExecuteResult, Inspection, ToolCall, ToolDefs, ToolError, ToolExecutor,
    ToolListCache,
};

/// The read-only tools of an executor.
#[derive(Debug)]
pub struct ReadOnlyTools {
    inner: DynExecutor,
    reading: ToolListCache<ToolDefs>,
}

impl ReadOnlyTools {
    /// The read-only tools of `inner`.
    pub fn new(inner: DynExecutor) -> Self {
        let reading = ToolListCache::new(inner.tool_definitions(), reading);
        Self { inner, reading }
    }

    fn owns(&self, call: &ToolCall) -> bool {
        self.tool_definitions().iter().any(|tool| tool.name == call.tool)
    }
}

fn reading(published: &ToolDefs) -> ToolDefs {
    published.iter().filter(|tool| tool.trusted_traits().read_only).cloned().collect()
}

impl ToolExecutor for ReadOnlyTools {
    fn tool_definitions(&self) -> ToolDefs {
        ToolDefs::clone(&self.reading.of(self.inner.tool_definitions()))
    }

    async fn inspect(&self, call: &ToolCall, cx: &CallContext) -> Result<Inspection, ToolError> {
        if self.owns(call) { self.inner.inspect(call, cx).await } else { Ok(Inspection::default()) }
    }

    async fn execute_tool_call(&self, call: &ToolCall, cx: &CallContext) -> ExecuteResult {
        if self.owns(call) { self.inner.execute_tool_call(call, cx).await } else { Ok(None) }
    }

    async fn execute_tool_call_confirmed(
        &self,
        call: &ToolCall,
        approval: &Approval,
        cx: &CallContext,
    ) -> ExecuteResult {
        if self.owns(call) { self.inner.execute_tool_call_confirmed(call, approval, cx).await } else { Ok(None) }
    }
}
