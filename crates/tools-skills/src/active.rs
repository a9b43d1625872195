//! The skill that a session has invoked for the rest of its turn.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;
use tools_core::{CallDigest, EnvOverlay, Locked as _, SessionId, ToolDef};

use crate::{AllowedTools, InlineTool};

/// Maximum number of remembered calls of one turn. A forgotten one is noted again when it is
/// repeated.
const MAX_CALLS: usize = 1_000;

/// An invoked skill of a session.
#[derive(Debug, Clone)]
pub struct Activation {
    /// Its name.
    pub skill: String,
    /// Tools that may be called meanwhile; `None` for all.
    pub allowed: Option<AllowedTools>,
    /// Variables for commands meanwhile.
    pub env: EnvOverlay,
    /// The tools that it declares, each with its definition.
    pub tools: Arc<[(InlineTool, Arc<ToolDef>)]>,
    pub(crate) since: Instant,
}

/// Invoked and loaded skills of sessions.
#[derive(Debug, Default)]
pub(crate) struct Active(Mutex<Sessions>);

#[derive(Debug, Default)]
struct Sessions {
    active: HashMap<SessionId, Activation>,
    /// Calls made through tools of the active skill.
    stood_for: HashMap<SessionId, HashSet<CallDigest>>,
    /// Skills shown to a session, with the digest of what was shown.
    loaded: HashMap<SessionId, BTreeMap<String, String>>,
}

impl Active {
    pub(crate) fn begin(&self, session: &SessionId, activation: Activation) {
        let mut sessions = self.0.locked();
        sessions.stood_for.remove(session);
        sessions.active.insert(session.clone(), activation);
    }

    /// The active skill; none if it has been active for longer than `most`.
    pub(crate) fn of(&self, session: &SessionId, most: Duration) -> Option<Activation> {
        let mut sessions = self.0.locked();
        let activation = sessions.active.get(session)?;
        if activation.since.elapsed() <= most {
            return Some(activation.clone());
        }
        sessions.active.remove(session);
        sessions.stood_for.remove(session);
        None
    }

    pub(crate) fn end_turn(&self, session: &SessionId) {
        let mut sessions = self.0.locked();
        sessions.active.remove(session);
        sessions.stood_for.remove(session);
    }

    /// The definition of a tool that an active skill of any session declares.
    pub(crate) fn definition(&self, tool: &str) -> Option<Arc<ToolDef>> {
        let sessions = self.0.locked();
        let mut tools = sessions.active.values().flat_map(|activation| activation.tools.iter());
        tools.find(|(declared, _)| declared.name.as_str() == tool).map(|(_, definition)| Arc::clone(definition))
    }

    /// Notes a call made through a tool of the active skill.
    pub(crate) fn note_stand_in_call(&self, session: &SessionId, call: CallDigest) {
        let mut sessions = self.0.locked();
        let calls = sessions.stood_for.entry(session.clone()).or_default();
        if calls.len() >= MAX_CALLS {
            calls.clear();
        }
        calls.insert(call);
    }

    /// Whether a call was made through a tool of the active skill.
    pub(crate) fn is_stand_in_call(&self, session: &SessionId, call: &CallDigest) -> bool {
        self.0.locked().stood_for.get(session).is_some_and(|calls| calls.contains(call))
    }

    /// Notes that a session is shown a skill; `true` if it was already shown unchanged.
    pub(crate) fn show(&self, session: &SessionId, skill: &str, digest: &str) -> bool {
        let mut sessions = self.0.locked();
        let loaded = sessions.loaded.entry(session.clone()).or_default();
        loaded.insert(skill.to_owned(), digest.to_owned()).is_some_and(|before| before == digest)
    }

    pub(crate) fn forget_shown(&self, session: &SessionId) {
        self.0.locked().loaded.remove(session);
    }
}

/// Shared by clones.
pub(crate) type SharedActive = Arc<Active>;
