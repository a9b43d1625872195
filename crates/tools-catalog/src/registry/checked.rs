//! An executor whose calls are held to its definitions before anybody is asked about them.

use std::{fmt, sync::Arc};

use tools_core::{
    Approval, CallContext, DynExecutor, ExecuteResult, Inspection, Shared, ToolCall, ToolDefs, ToolError, ToolExecutor,
    ToolOrigin,
};

use super::ToolRegistry;

/// An executor of tools that come from elsewhere (a host, a server): shows their definitions
/// repaired, and refuses calls that do not meet them, before a gate or a person looks at them.
///
/// Tools of [`ToolOrigin::Builtin`], which is what [`tools_core::Typed`] makes, decode their
/// parameters themselves and read what is meant: their calls pass.
pub struct Checked {
    inner: DynExecutor,
    /// What `inner` published last, and what was made of it.
    made: Shared<(ToolDefs, ToolRegistry)>,
}

impl Checked {
    /// The tools of an executor, held to their definitions. What was wrong with these is logged.
    pub fn new(inner: DynExecutor) -> Self {
        let made = Shared::new(made(inner.tool_definitions()));
        Self { inner, made }
    }

    /// Whether the call meets the definition of its tool.
    fn check(&self, call: &ToolCall) -> Result<(), ToolError> {
        let made = self.registry();
        let decodes_itself = |origin: &ToolOrigin| matches!(origin, ToolOrigin::Builtin);
        match made.1.get(&call.tool) {
            Some(tool) if !decodes_itself(&tool.origin) => made.1.check(call),
            _ => Ok(()),
        }
    }

    fn registry(&self) -> Arc<(ToolDefs, ToolRegistry)> {
        let published = self.inner.tool_definitions();
        let last = self.made.load();
        if Arc::ptr_eq(&last.0, &published) {
            return last;
        }
        self.made.store(made(published));
        self.made.load()
    }
}

fn made(published: ToolDefs) -> (ToolDefs, ToolRegistry) {
    let (registry, faults) = ToolRegistry::new(&published);
    for fault in &faults {
        tracing::warn!(%fault, "a definition of a tool was put right");
    }
    (published, registry)
}

impl ToolExecutor for Checked {
    fn tool_definitions(&self) -> ToolDefs {
        Arc::clone(self.registry().1.definitions())
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

impl fmt::Debug for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Checked").field(&self.inner).finish()
    }
}
