//! List of sessions that have read text from outside.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use tools_core::{ClaimSource, Locked as _, SessionId};

/// The sessions that have read text from outside. Cheap to clone; clones are one list.
#[derive(Debug, Clone, Default)]
pub struct TaintedSessions(Arc<Mutex<HashSet<SessionId>>>);

impl TaintedSessions {
    /// Notes that a session has read text from outside.
    pub fn note(&self, session: &SessionId) {
        let mut sessions = self.0.locked();
        if !sessions.contains(session) {
            sessions.insert(session.clone());
        }
    }

    /// Whether the session has read text from outside.
    pub(crate) fn has_read(&self, session: &SessionId) -> bool {
        self.0.locked().contains(session)
    }

    /// Forgets a session that has ended.
    pub fn forget(&self, session: &SessionId) {
        self.0.locked().remove(session);
    }
}

/// Whether a result may contain text that neither the user nor the session wrote: what a read-only
/// tool found in the workspace, output of commands, the web, MCP servers.
pub(crate) fn is_from_outside(source: ClaimSource, reads_only: bool) -> bool {
    match source {
        ClaimSource::Web | ClaimSource::Mcp | ClaimSource::Command => true,
        ClaimSource::Workspace => reads_only,
        // Untrusted memories are noted by the tool that shows them; new sources must be added here.
        _ => false,
    }
}
