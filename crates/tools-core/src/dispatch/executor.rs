//! The interface between the stack and code that runs tools.

use std::{future::Future, sync::Arc};

use crate::{Approval, CallContext, Inspection, ToolCall, ToolDefs, ToolError, ToolOutput};

/// Answer of an executor: `Ok(None)` means "not my tool, nothing happened".
pub type ExecuteResult = Result<Option<ToolOutput>, ToolError>;

/// Runs the tools it owns. Called by a [`crate::Stack`] or by a [`crate::CompositeExecutor`];
/// implemented by hosts with tools of their own shape. Most authors write a [`crate::Tool`]
/// instead.
///
/// Four methods, all required: a wrapper cannot forget to forward one. All other facts about a tool
/// or a call are data ([`crate::ToolDef`], [`Inspection`]).
pub trait ToolExecutor: Send + Sync {
    /// The tools it owns, in the order in which a model sees them.
    fn tool_definitions(&self) -> ToolDefs;

    /// The subjects of the call. Reads only: no effects, no network. Returns
    /// [`Inspection::default`] for a tool that it does not own.
    ///
    /// # Errors
    /// `InvalidParameters` or `TypeMismatch` when the parameters cannot be read, or an error that
    /// already forbids the call.
    fn inspect(&self, call: &ToolCall, cx: &CallContext) -> impl Future<Output = Result<Inspection, ToolError>> + Send;

    /// Runs a call that nobody was asked about. Must refuse with `ConfirmationRequired` if it needs
    /// a person.
    ///
    /// Dropping the future stops the call and everything it started.
    ///
    /// # Errors
    /// Any category; see [`crate::ToolErrorCategory`].
    fn execute_tool_call(&self, call: &ToolCall, cx: &CallContext) -> impl Future<Output = ExecuteResult> + Send;

    /// Runs a call that a person agreed to. Only the question is skipped: every other check is made
    /// as usual.
    ///
    /// # Errors
    /// `PolicyBlocked/approval_mismatch` when the approval is for another call, else any category.
    fn execute_tool_call_confirmed(
        &self,
        call: &ToolCall,
        approval: &Approval,
        cx: &CallContext,
    ) -> impl Future<Output = ExecuteResult> + Send;
}

/// A shared executor: its owner keeps one reference and the stack holds another.
impl<T: ToolExecutor> ToolExecutor for Arc<T> {
    fn tool_definitions(&self) -> ToolDefs {
        T::tool_definitions(self)
    }

    async fn inspect(&self, call: &ToolCall, cx: &CallContext) -> Result<Inspection, ToolError> {
        T::inspect(self, call, cx).await
    }

    async fn execute_tool_call(&self, call: &ToolCall, cx: &CallContext) -> ExecuteResult {
        T::execute_tool_call(self, call, cx).await
    }

    async fn execute_tool_call_confirmed(
        &self,
        call: &ToolCall,
        approval: &Approval,
        cx: &CallContext,
    ) -> ExecuteResult {
        T::execute_tool_call_confirmed(self, call, approval, cx).await
    }
}
