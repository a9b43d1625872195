//! The tools of an executor that change nothing, whatever they are called with. There are no others
//! then: a call of one ends as that of a tool that nobody owns.

use std::sync::Arc;

use crate::{
    Approval, CallContext, DynExecutor, ExecuteResult, Inspection, Shared, ToolCall, ToolDefs, ToolError, ToolExecutor,
};

/// Those tools of an executor that only read.
#[derive(Debug)]
pub struct ReadOnlyTools {
    inner: DynExecutor,
    /// What `inner` published last, and those of it that only read.
    last: Shared<(ToolDefs, ToolDefs)>,
}

impl ReadOnlyTools {
    /// Those of `inner`.
    pub fn new(inner: DynExecutor) -> Self {
        let last = Shared::new(split(inner.tool_definitions()));
        Self { inner, last }
    }

    fn owns(&self, call: &ToolCall) -> bool {
        self.tool_definitions().iter().any(|tool| tool.name == call.tool)
    }
}

fn split(published: ToolDefs) -> (ToolDefs, ToolDefs) {
    let reading = published.iter().filter(|tool| tool.trusted_traits().read_only).cloned().collect();
    (published, reading)
}

impl ToolExecutor for ReadOnlyTools {
    fn tool_definitions(&self) -> ToolDefs {
        let published = self.inner.tool_definitions();
        if !Arc::ptr_eq(&self.last.load().0, &published) {
            self.last.store(split(published));
        }
        Arc::clone(&self.last.load().1)
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
