//! Names that stand for calls of other tools, for example a skill's command that runs in the shell.

use std::sync::Arc;

use crate::{CallContext, ToolCall, ToolDef, ToolError, ToolName};

/// Resolves names that no executor owns. Called by a [`crate::Stack`] before anything else: every
/// layer judges, records and runs the resolved call, and none sees the name.
pub trait StandIns: Send + Sync {
    /// The call that this one stands for, with the same identifier and caller; `None` if the name
    /// stands for nothing in the session of `cx`.
    ///
    /// # Errors
    /// `InvalidParameters` or `TypeMismatch` for parameters that the name does not take.
    fn meant(&self, call: &ToolCall, cx: &CallContext) -> Result<Option<ToolCall>, ToolError>;

    /// Definition of such a name, in any session; `None` if the name stands for nothing.
    fn definition(&self, tool: &ToolName) -> Option<Arc<ToolDef>>;
}
