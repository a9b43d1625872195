//! An executor that checks calls against its definitions before any gate sees them.

use std::sync::Arc;

use tools_core::{
    Approval, CallContext, DynExecutor, ExecuteResult, Inspection, ToolCall, ToolDefs, ToolError, ToolExecutor,
    ToolListCache, ToolOrigin,
};

use super::ToolRegistry;

/// An executor for tools from other sources (a host, a server). It shows their definitions
/// repaired, and refuses calls that do not match them before a gate or a person sees the call.
///
/// Tools of [`ToolOrigin::Builtin`], as made by [`tools_core::Typed`], decode their parameters
/// themselves and tolerate variations: their calls are not checked.
#[derive(Debug)]
pub struct CheckedExecutor {
    inner: DynExecutor,
    registry: ToolListCache<ToolRegistry>,
}

impl CheckedExecutor {
    /// Adds checks to an executor. Faults in its definitions are logged.
    pub fn new(inner: DynExecutor) -> Self {
        let registry = ToolListCache::new(inner.tool_definitions(), registry);
        Self { inner, registry }
    }

    /// Checks a call against the definition of its tool.
    fn check(&self, call: &ToolCall) -> Result<(), ToolError> {
        let registry = self.registry();
        let decodes_itself = |origin: &ToolOrigin| matches!(origin, ToolOrigin::Builtin);
        match registry.get(&call.tool) {
            Some(tool) if !decodes_itself(&tool.origin) => registry.check(call),
            _ => Ok(()),
        }
    }

    fn registry(&self) -> Arc<ToolRegistry> {
        self.registry.of(self.inner.tool_definitions())
    }
}

fn registry(published: &ToolDefs) -> ToolRegistry {
    let (registry, faults) = ToolRegistry::new(published);
    for fault in &faults {
        tracing::warn!(%fault, "a definition of a tool was put right");
    }
    registry
}

impl ToolExecutor for CheckedExecutor {
    fn tool_definitions(&self) -> ToolDefs {
        Arc::clone(self.registry().definitions())
    }

    async fn inspect(&self, call: &ToolCall, cx: &CallContext) -> Result<Inspection, ToolError> {
        self.check(call)?;
        self.inner.inspect(call, cx).await
    }

    async fn execute_tool_call(&self, call: &ToolCall, cx: &CallContext) -> ExecuteResult {
        self.check(call)?;
        self.inner.execute_tool_call(call, cx).await
    }

    async fn execute_tool_call_confirmed(
        &self,
        call: &ToolCall,
        approval: &Approval,
        cx: &CallContext,
    ) -> ExecuteResult {
        self.check(call)?;
        self.inner.execute_tool_call_confirmed(call, approval, cx).await
    }
}
