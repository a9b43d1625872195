//! The object-safe twin of [`ToolExecutor`], for lists of executors of different types.

use std::{fmt, sync::Arc};

use async_trait::async_trait;

use crate::{
    Approval, CallContext, ExecuteResult, Inspection, ToolCall, ToolDef, ToolDefs, ToolError, ToolExecutor, ToolName,
};

/// [`ToolExecutor`] with boxed futures and the same contract. Implemented for every executor; no
/// other implementation is needed.
#[async_trait]
pub trait ErasedToolExecutor: Send + Sync {
    /// See [`ToolExecutor::tool_definitions`].
    fn tool_definitions_erased(&self) -> ToolDefs;
    /// See [`ToolExecutor::inspect`].
    async fn inspect_erased(&self, call: &ToolCall, cx: &CallContext) -> Result<Inspection, ToolError>;
    /// See [`ToolExecutor::execute_tool_call`].
    async fn execute_tool_call_erased(&self, call: &ToolCall, cx: &CallContext) -> ExecuteResult;
    /// See [`ToolExecutor::execute_tool_call_confirmed`].
    async fn execute_tool_call_confirmed_erased(
        &self,
        call: &ToolCall,
        approval: &Approval,
        cx: &CallContext,
    ) -> ExecuteResult;
}

#[async_trait]
impl<T: ToolExecutor> ErasedToolExecutor for T {
    fn tool_definitions_erased(&self) -> ToolDefs {
        self.tool_definitions()
    }

    async fn inspect_erased(&self, call: &ToolCall, cx: &CallContext) -> Result<Inspection, ToolError> {
        self.inspect(call, cx).await
    }

    async fn execute_tool_call_erased(&self, call: &ToolCall, cx: &CallContext) -> ExecuteResult {
        self.execute_tool_call(call, cx).await
    }

    async fn execute_tool_call_confirmed_erased(
        &self,
        call: &ToolCall,
        approval: &Approval,
        cx: &CallContext,
    ) -> ExecuteResult {
        self.execute_tool_call_confirmed(call, approval, cx).await
    }
}

/// Any executor, behind one type. Cheap to clone; only forwards all four methods.
#[derive(Clone)]
pub struct DynExecutor(Arc<dyn ErasedToolExecutor>);

impl DynExecutor {
    /// Wraps an executor.
    pub fn new(executor: impl ToolExecutor + 'static) -> Self {
        Self(Arc::new(executor))
    }
}

impl From<Arc<dyn ErasedToolExecutor>> for DynExecutor {
    fn from(executor: Arc<dyn ErasedToolExecutor>) -> Self {
        Self(executor)
    }
}

impl ToolExecutor for DynExecutor {
    fn tool_definitions(&self) -> ToolDefs {
        self.0.tool_definitions_erased()
    }

    async fn inspect(&self, call: &ToolCall, cx: &CallContext) -> Result<Inspection, ToolError> {
        self.0.inspect_erased(call, cx).await
    }

    async fn execute_tool_call(&self, call: &ToolCall, cx: &CallContext) -> ExecuteResult {
        self.0.execute_tool_call_erased(call, cx).await
    }

    async fn execute_tool_call_confirmed(
        &self,
        call: &ToolCall,
        approval: &Approval,
        cx: &CallContext,
    ) -> ExecuteResult {
        self.0.execute_tool_call_confirmed_erased(call, approval, cx).await
    }
}

impl fmt::Debug for DynExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.tool_definitions().iter().map(|tool| tool.name.to_string()).collect();
        f.debug_tuple("DynExecutor").field(&names).finish()
    }
}

/// Whether the tool itself wants a person to agree to this call: speculative dispatch must check
/// this first.
///
/// A function over [`ToolExecutor::inspect`], not a method, so that no wrapper can answer it
/// differently. A call that cannot be inspected requires confirmation.
pub async fn requires_confirmation(executor: &impl ToolExecutor, call: &ToolCall, cx: &CallContext) -> bool {
    executor.inspect(call, cx).await.map_or(true, |inspection| inspection.confirm.is_some())
}

/// Whether a tool may be retried automatically; `false` for a tool that is not listed.
pub fn is_tool_retryable(definitions: &[Arc<ToolDef>], tool: &ToolName) -> bool {
    definitions.iter().find(|definition| definition.name == *tool).is_some_and(|tool| tool.trusted_traits().retryable)
}
