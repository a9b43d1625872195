//! The saved conversations of a user, and the lock for writing one of them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tools_core::{CallContext, Clock as _, SessionId, SystemClock};

use super::{FolderSessions, OnSessionsAway, SessionHold, SessionStore, SessionsError};
use crate::{Agent, AgentBuilder, StoredHistory};

/// A saved conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SavedSession {
    /// The session, to which approvals, stored output and checkpoints belong.
    pub session: SessionId,
    /// The folder it worked in.
    pub workdir: PathBuf,
    /// Beginning of the user's first message.
    pub title: String,
    /// Number of its turns.
    pub turns: u64,
    /// Time when it was last written.
    pub written: Timestamp,
    /// The conversation.
    pub history: StoredHistory,
}

/// A saved conversation in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionEntry {
    /// The session.
    pub session: SessionId,
    /// The folder it worked in.
    pub workdir: PathBuf,
    /// Beginning of the user's first message.
    pub title: String,
    /// Number of its turns.
    pub turns: u64,
    /// Number of its messages.
    pub messages: usize,
    /// Time when it was last written.
    pub written: Timestamp,
}

/// The saved conversations of a user. Cheap to clone.
#[derive(Clone)]
pub struct Sessions {
    store: Arc<dyn SessionStore>,
    on_error: OnSessionsAway,
}

/// Exclusive right to write one conversation.
pub struct HeldSession {
    /// `None` if the store could not be reached, and that is allowed.
    hold: Option<Box<dyn SessionHold>>,
    on_error: OnSessionsAway,
}

impl Sessions {
    /// Conversations of a store. `on_error` says what happens while it cannot be reached. It is
    /// opened at the first use.
    pub fn over(store: Arc<dyn SessionStore>, on_error: OnSessionsAway) -> Self {
        Self { store, on_error }
    }

    /// Conversations in a folder of this user.
    pub fn in_folder(folder: PathBuf) -> Self {
        Self::over(Arc::new(FolderSessions::at(folder)), OnSessionsAway::Warn)
    }

    /// Locks a session for writing; it may be new. The lock ends with the value, and with the
    /// process.
    ///
    /// # Errors
    /// [`SessionsError::InUse`] while another process, or another part of this one, holds it; if
    /// the store cannot be reached, as `agent.sessions.on_error` says.
    pub async fn hold(&self, session: &SessionId) -> Result<HeldSession, SessionsError> {
        let hold = match self.store.hold(session).await {
            Ok(hold) => Some(hold),
            Err(error @ SessionsError::InUse(_)) => return Err(error),
            Err(error) if self.on_error == OnSessionsAway::Block => return Err(error),
            Err(error) => {
                tracing::warn!(%error, "the session cannot be saved");
                None
            }
        };
        Ok(HeldSession { hold, on_error: self.on_error })
    }

    /// All conversations, the latest first. Unreadable ones are left out.
    pub async fn list(&self) -> Result<Vec<SessionEntry>, SessionsError> {
        self.store.list().await
    }

    /// The conversation of a session; `None` if there is none.
    pub async fn find(&self, session: &SessionId) -> Result<Option<SavedSession>, SessionsError> {
        Ok(self.store.read(std::slice::from_ref(session)).await?.pop())
    }

    /// Conversations of sessions, in the order of the list; missing or unreadable ones are left
    /// out.
    pub async fn read(&self, sessions: &[SessionId]) -> Result<Vec<SavedSession>, SessionsError> {
        self.store.read(sessions).await
    }

    /// The latest conversation of a folder; `None` if there is none.
    pub async fn latest(&self, workdir: &Path) -> Result<Option<SavedSession>, SessionsError> {
        match self.list().await?.into_iter().find(|entry| entry.workdir == workdir) {
            Some(entry) => self.find(&entry.session).await,
            None => Ok(None),
        }
    }

    /// Removes the conversation of a session; returns whether there was one.
    ///
    /// # Errors
    /// [`SessionsError::InUse`] while it is being written; if it cannot be removed.
    pub async fn remove(&self, session: &SessionId) -> Result<bool, SessionsError> {
        self.store.remove(session).await
    }
}

impl HeldSession {
    /// Saves the conversation atomically and durably.
    ///
    /// # Errors
    /// If it cannot be saved, or another process has taken it over in the meantime.
    pub async fn keep(&self, session: &SavedSession) -> Result<(), SessionsError> {
        match &self.hold {
            Some(hold) => hold.keep(session).await,
            None => Err(SessionsError::Away("there is no right to write this one".into())),
        }
    }

    /// Releases the lock early. Nothing is saved afterwards.
    pub async fn release(&mut self) {
        if let Some(hold) = self.hold.take() {
            hold.release().await;
        }
    }

    /// Whether a conversation may not continue unsaved.
    pub fn must_keep(&self) -> bool {
        self.on_error == OnSessionsAway::Block
    }
}

impl SavedSession {
    /// The current session of an agent, to be saved. Its calls start from `cx`; `title` is its
    /// title.
    pub fn of(cx: &CallContext, agent: &Agent, title: &str) -> Self {
        Self {
            session: cx.session().clone(),
            workdir: cx.workdir().to_owned(),
            title: title.to_owned(),
            turns: agent.turns(),
            written: SystemClock.now(),
            history: agent.history().into(),
        }
    }

    /// The title of a session that begins with this task.
    pub fn title_of(task: &str) -> String {
        task.lines().next().unwrap_or_default().chars().take(80).collect()
    }

    /// Resumes the conversation with the agent of `builder`.
    ///
    /// # Errors
    /// A sentence for a person, if the saved text is not a conversation.
    pub fn resumed(self, builder: AgentBuilder) -> Result<AgentBuilder, String> {
        let history = self.history.restore().map_err(|error| format!("the kept session cannot go on: {error}"))?;
        Ok(builder.resuming(history, self.turns))
    }
}

impl From<&SavedSession> for SessionEntry {
    fn from(kept: &SavedSession) -> Self {
        let SavedSession { session, workdir, title, turns, written, history } = kept.clone();
        Self { session, workdir, title, turns, messages: history.len(), written }
    }
}

tools_core::partial_debug!(Sessions { on_error });

impl fmt::Debug for HeldSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeldSession").field("is_held", &self.hold.is_some()).finish_non_exhaustive()
    }
}
