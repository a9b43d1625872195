//! Which of the stack's tools a client is shown.

use tools_core::{SessionId, ToolDefs};

/// Decides what a session is shown. Called for every list, and after every call to find out whether the client has to
/// hear of another list; implemented by hosts that show profiles, or lists that grow.
pub trait Showing: Send + Sync {
    /// Called before the tools are looked at for a list: the moment at which other ones may be published.
    fn settle(&self) {}

    /// What the session is shown of `listed`, the tools of its stack that no layer hides. The same definitions in the same
    /// order mean that nothing changed.
    ///
    /// # Security
    /// This hides and forbids nothing: a call of any tool of the stack is made, and judged by its gates.
    fn shown(&self, session: &SessionId, listed: &ToolDefs) -> ToolDefs;
}
