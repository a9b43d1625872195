//! Selects the tools of the stack that a client sees.

use tools_core::{SessionId, ToolDefs};

/// Decides which tools a session sees. Called for every list, and after every call to find out
/// whether the list has changed. Implemented by hosts with tool profiles or growing lists.
pub trait ToolVisibility: Send + Sync {
    /// Called before the tools are listed. The host may change the published tools here.
    fn settle(&self) {}

    /// The tools that the session sees, out of `listed`: the tools of its stack that no layer
    /// hides. The list counts as unchanged if it has the same definitions in the same order.
    ///
    /// # Security
    /// A hidden tool is not forbidden: a call of any tool of the stack is judged by its gates as
    /// usual.
    fn shown(&self, session: &SessionId, listed: &ToolDefs) -> ToolDefs;
}
