//! An executor whose calls are held to its definitions before anybody is asked about them.

use std::sync::Arc;

use tools_core::{
    Approval, CallContext, DynExecutor, ExecuteResult, Inspection, ToolCall, ToolDefs, ToolError, ToolExecutor,
    ToolListCache, ToolOrigin,
};

use super::ToolRegistry;

/// An executor of tools that come from elsewhere (a host, a server): shows their definitions
/// repaired, and refuses calls that do not meet them, before a gate or a person looks at them.
///
/// Tools of [`ToolOrigin::Builtin`], which is what [`tools_core::Typed`] makes, decode their
/// parameters themselves and read what is meant: their calls pass.
#[derive(Debug)]
pub struct CheckedExecutor {
    inner: DynExecutor,
    registry: ToolListCache<ToolRegistry>,
}

impl CheckedExecutor {
    /// The tools of an executor, held to their definitions. What was wrong with these is logged.
    pub fn new(inner: DynExecutor) -> Self {
        let registry = ToolListCache::new(inner.tool_definitions(), registry);
        Self { inner, registry }
    }

    /// Whether the call meets the definition of its tool.
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
