//! What a model was told in a session: by its user and by the results of tools.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tools_core::SessionId;

/// How much of what was told is remembered for a session, in bytes. What was told first is
/// forgotten first.
const MAX_TOLD_BYTES: usize = 1 << 20;
/// How many sessions are remembered; beyond that, all but the one that is told something are
/// forgotten.
const SESSIONS: usize = 1000;

/// Texts that models were given, by session.
#[derive(Debug, Default)]
pub struct SessionTexts(Mutex<HashMap<SessionId, Heard>>);

#[derive(Debug, Default, Clone)]
struct Heard {
    /// In lower case.
    text: String,
    /// Whether the user's own words are among it.
    knows_user: bool,
}

impl SessionTexts {
    /// Remembers what a user said.
    pub fn user(&self, session: &SessionId, text: &str) {
        self.add(session, text, true);
    }

    /// Remembers what else a model read: the result of a tool, a message of the system.
    pub fn other(&self, session: &SessionId, text: &str) {
        self.add(session, text, false);
    }

    /// Forgets a session.
    pub fn forget(&self, session: &SessionId) {
        self.lock().remove(session);
    }

    /// What a model was told, in lower case, and whether its user's words are known.
    pub(super) fn context(&self, session: &SessionId) -> (String, bool) {
        self.lock().get(session).map(|heard| (heard.text.clone(), heard.knows_user)).unwrap_or_default()
    }

    fn add(&self, session: &SessionId, text: &str, is_user: bool) {
        let mut sessions = self.lock();
        if sessions.len() >= SESSIONS && !sessions.contains_key(session) {
            sessions.clear();
        }
        let heard = sessions.entry(session.clone()).or_default();
        heard.knows_user |= is_user;
        let text = &text[text.ceil_char_boundary(text.len().saturating_sub(MAX_TOLD_BYTES))..];
        heard.text.push('\n');
        heard.text.push_str(&text.to_lowercase());
        if heard.text.len() > MAX_TOLD_BYTES {
            // Half at once: forgetting a little each time would move all of it each time.
            let cut = heard.text.ceil_char_boundary(heard.text.len() - MAX_TOLD_BYTES / 2);
            heard.text.drain(..cut);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Heard>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_told_last_is_remembered_and_sessions_are_apart() {
        let told = SessionTexts::default();
        let (one, two) = (SessionId::generate(), SessionId::generate());
        told.other(&one, "First");
        told.other(&one, &"ä".repeat(MAX_TOLD_BYTES));
        told.other(&one, "Last");
        let (text, knows_user) = told.context(&one);
        assert!(text.len() <= MAX_TOLD_BYTES && text.ends_with("last") && !text.contains("first") && !knows_user);
        assert_eq!(told.context(&two), (String::new(), false));
        told.user(&one, "x");
        assert!(told.context(&one).1);
        told.forget(&one);
        assert_eq!(told.context(&one), (String::new(), false));
    }
}
