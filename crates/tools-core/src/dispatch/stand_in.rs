//! Names that stand for calls of other tools: a skill's command, say, which is a call of the shell.

use std::sync::Arc;

use crate::{CallContext, ToolCall, ToolDef, ToolError, ToolName};

/// Says which call is meant by a name that no executor owns. Asked by a [`crate::Stack`] before
/// anything else happens to the call: every layer judges, records and runs the call that is meant,
/// and none sees the name.
pub trait StandIns: Send + Sync {
    /// The call that this one stands for, with the same identifier and caller; `None` where the
    /// name stands for nothing in the session of `cx`.
    ///
    /// # Errors
    /// `InvalidParameters` or `TypeMismatch` for parameters that the name does not take.
    fn meant(&self, call: &ToolCall, cx: &CallContext) -> Result<Option<ToolCall>, ToolError>;

    /// What such a name takes, in any session; `None` for a name that stands for nothing.
    fn definition(&self, tool: &ToolName) -> Option<Arc<ToolDef>>;
}
