//! Which tools have succeeded in a session.

use std::{collections::BTreeSet, sync::Mutex};

use tools_core::{Locked as _, ToolName};

/// The tools that have succeeded in one session, and in no earlier one. Shared by reference; every
/// method takes a lock for the moment.
#[derive(Debug, Default)]
pub struct CompletedTools(Mutex<BTreeSet<ToolName>>);

impl CompletedTools {
    /// Notes that a call of the tool succeeded.
    pub fn complete(&self, tool: ToolName) {
        self.0.locked().insert(tool);
    }

    /// Forgets everything, as when a conversation begins anew.
    pub fn clear(&self) {
        self.0.locked().clear();
    }

    /// The tools so far.
    pub fn snapshot(&self) -> BTreeSet<ToolName> {
        self.0.locked().clone()
    }
}
