//! The conversations of a user, and the right to write one of them.

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
pub struct KeptSession {
    /// The session: approvals, stored output and checkpoints belong to it.
    pub session: SessionId,
    /// The folder it worked in.
    pub workdir: PathBuf,
    /// The beginning of what the user said first.
    pub title: String,
    /// Number of its turns.
    pub turns: u64,
    /// When it was written last.
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
    /// The beginning of what the user said first.
    pub title: String,
    /// Number of its turns.
    pub turns: u64,
    /// Number of its messages.
    pub messages: usize,
    /// When it was written last.
    pub written: Timestamp,
}

/// The saved conversations of a user. Cheap to clone.
#[derive(Clone)]
pub struct Sessions {
    store: Arc<dyn SessionStore>,
    on_error: OnSessionsAway,
}

/// The right to write one conversation, which nobody else has meanwhile.
pub struct HeldSession {
    /// `None` where the store was away, and that is allowed.
    hold: Option<Box<dyn SessionHold>>,
    on_error: OnSessionsAway,
}

impl Sessions {
    /// Those of a store. `on_error` says what becomes of conversations while it cannot be reached.
    /// Nothing is opened until it is used.
    pub fn over(store: Arc<dyn SessionStore>, on_error: OnSessionsAway) -> Self {
        Self { store, on_error }
    }

    /// Those in a folder of this user.
    pub fn in_folder(folder: PathBuf) -> Self {
        Self::over(Arc::new(FolderSessions::at(folder)), OnSessionsAway::Warn)
    }

    /// Takes the right to write a session, which may be a new one. It ends with the value, and with
    /// the process.
    ///
    /// # Errors
    /// [`SessionsError::InUse`] while another process, or another part of this one, has it; where
    /// the store cannot be reached as `agent.sessions.on_error` says.
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

    /// All of them, the latest first. What cannot be read is left out.
    pub async fn list(&self) -> Result<Vec<SessionEntry>, SessionsError> {
        self.store.list().await
    }

    /// The one of a session; `None` when there is none.
    pub async fn find(&self, session: &SessionId) -> Result<Option<KeptSession>, SessionsError> {
        Ok(self.store.read(std::slice::from_ref(session)).await?.pop())
    }

    /// Those of sessions, in the order of the list; what is not there or cannot be read is left
    /// out.
    pub async fn read(&self, sessions: &[SessionId]) -> Result<Vec<KeptSession>, SessionsError> {
        self.store.read(sessions).await
    }

    /// The latest one of a folder; `None` when there is none.
    pub async fn latest(&self, workdir: &Path) -> Result<Option<KeptSession>, SessionsError> {
        match self.list().await?.into_iter().find(|entry| entry.workdir == workdir) {
            Some(entry) => self.find(&entry.session).await,
            None => Ok(None),
        }
    }

    /// Removes the one of a session. Whether there was one.
    ///
    /// # Errors
    /// [`SessionsError::InUse`] while it is written; when it cannot be removed.
    pub async fn remove(&self, session: &SessionId) -> Result<bool, SessionsError> {
        self.store.remove(session).await
    }
}

impl HeldSession {
    /// Saves the conversation, whole or not at all. What was saved outlives this process.
    ///
    /// # Errors
    /// When it cannot be saved, or another process has taken it over meanwhile.
    pub async fn keep(&self, session: &KeptSession) -> Result<(), SessionsError> {
        match &self.hold {
            Some(hold) => hold.keep(session).await,
            None => Err(SessionsError::Away("there is no right to write this one".into())),
        }
    }

    /// Gives the right back, so that others need not wait for its end. Nothing is saved afterwards.
    pub async fn release(&mut self) {
        if let Some(hold) = self.hold.take() {
            hold.release().await;
        }
    }

    /// Whether a conversation that is not saved may not go on.
    pub fn must_keep(&self) -> bool {
        self.on_error == OnSessionsAway::Block
    }
}

impl KeptSession {
    /// The session of an agent as it stands, to be kept. Its calls start from `cx`; `title` is what
    /// it is called.
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

    /// The agent that goes on with it.
    ///
    /// # Errors
    /// A sentence for a person, when what is kept is no conversation.
    pub fn resumed(self, builder: AgentBuilder) -> Result<AgentBuilder, String> {
        let history = self.history.restore().map_err(|error| format!("the kept session cannot go on: {error}"))?;
        Ok(builder.resuming(history, self.turns))
    }
}

impl From<&KeptSession> for SessionEntry {
    fn from(kept: &KeptSession) -> Self {
        let KeptSession { session, workdir, title, turns, written, history } = kept.clone();
        Self { session, workdir, title, turns, messages: history.len(), written }
    }
}

tools_core::partial_debug!(Sessions { on_error });

impl fmt::Debug for HeldSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeldSession").field("is_held", &self.hold.is_some()).finish_non_exhaustive()
    }
}
