//! Which skill a session has invoked for the rest of its turn.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;
use tools_core::{EnvOverlay, SessionId};

use crate::Allowed;

/// A skill that a session has invoked.
#[derive(Debug, Clone, PartialEq)]
pub struct Activation {
    /// Its name.
    pub skill: String,
    /// What may be called meanwhile; `None` for everything.
    pub allowed: Option<Allowed>,
    /// Variables for commands meanwhile.
    pub env: EnvOverlay,
    /// Since when.
    pub(crate) since: Instant,
}

/// What sessions have invoked and loaded.
#[derive(Debug, Default)]
pub(crate) struct Active(Mutex<Sessions>);

#[derive(Debug, Default)]
struct Sessions {
    active: HashMap<SessionId, Activation>,
    /// Which skills a session has been shown, with the digest of what it was shown.
    loaded: HashMap<SessionId, BTreeMap<String, String>>,
}

impl Active {
    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        // Nothing in here panics half-way through a change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn begin(&self, session: &SessionId, activation: Activation) {
        self.sessions().active.insert(session.clone(), activation);
    }

    /// What is active; nothing that has been so for longer than `most`.
    pub(crate) fn of(&self, session: &SessionId, most: Duration) -> Option<Activation> {
        let mut sessions = self.sessions();
        let activation = sessions.active.get(session)?;
        if activation.since.elapsed() <= most {
            return Some(activation.clone());
        }
        sessions.active.remove(session);
        None
    }

    pub(crate) fn end_turn(&self, session: &SessionId) {
        self.sessions().active.remove(session);
    }

    /// Takes note that a session is shown a skill; `true` when it was before, as it is.
    pub(crate) fn show(&self, session: &SessionId, skill: &str, digest: &str) -> bool {
        let mut sessions = self.sessions();
        let loaded = sessions.loaded.entry(session.clone()).or_default();
        loaded.insert(skill.to_owned(), digest.to_owned()).is_some_and(|before| before == digest)
    }

    pub(crate) fn forget_shown(&self, session: &SessionId) {
        self.sessions().loaded.remove(session);
    }
}

/// For clones that are one.
pub(crate) type SharedActive = Arc<Active>;
