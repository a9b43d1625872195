//! Which sessions have read text from outside.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tools_core::{ClaimSource, SessionId};

/// The sessions that have read text from outside. Cheap to clone; clones are one list.
#[derive(Debug, Clone, Default)]
pub struct TaintedSessions(Arc<Mutex<HashSet<SessionId>>>);

impl TaintedSessions {
    fn sessions(&self) -> MutexGuard<'_, HashSet<SessionId>> {
        // Nothing in here panics half-way through a change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note that a session has read text from outside.
    pub fn note(&self, session: &SessionId) {
        let mut sessions = self.sessions();
        if !sessions.contains(session) {
            sessions.insert(session.clone());
        }
    }

    /// Whether it has.
    pub fn has_read(&self, session: &SessionId) -> bool {
        self.sessions().contains(session)
    }

    /// Forgets a session that has ended.
    pub fn forget(&self, session: &SessionId) {
        self.sessions().remove(session);
    }
}

/// Whether a result may hold text that neither the user nor the session wrote: what a tool that
/// only reads found in the workspace, what a command printed, the web, MCP servers.
pub(crate) fn is_from_outside(source: ClaimSource, reads_only: bool) -> bool {
    match source {
        ClaimSource::Web | ClaimSource::Mcp | ClaimSource::Command => true,
        ClaimSource::Workspace => reads_only,
        // Untrusted memories are noted by the tool that shows them; further sources are named when
        // they come to be.
        _ => false,
    }
}
