//! What a place of saved conversations can do.

use async_trait::async_trait;
use thiserror::Error;
use tools_core::SessionId;

use super::{KeptSession, SessionEntry};

/// Reason why saved conversations cannot be read, or one cannot be written.
#[derive(Debug, Error)]
pub enum SessionsError {
    /// Somebody else writes it.
    #[error("the session is in use: {0}")]
    InUse(String),
    /// It was removed, or taken over and removed, while it was written here.
    #[error("the session was removed by another process")]
    Removed,
    /// The place cannot be used.
    #[error("the saved sessions cannot be used: {0}")]
    Away(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl From<std::io::Error> for SessionsError {
    fn from(error: std::io::Error) -> Self {
        Self::Away(error.into())
    }
}

/// A place of saved conversations. Called by [`super::Sessions`]; implemented over a folder
/// ([`super::FolderSessions`]) and, by hosts, over a database.
#[async_trait]
pub trait SessionStore: Send + Sync {
    /// Takes the right to write a session, which may be a new one.
    ///
    /// # Errors
    /// [`SessionsError::InUse`] while somebody else has it.
    async fn hold(&self, session: &SessionId) -> Result<Box<dyn SessionHold>, SessionsError>;

    /// All of them, the latest first. What cannot be read is left out.
    async fn list(&self) -> Result<Vec<SessionEntry>, SessionsError>;

    /// Those of sessions, in the order of the list. What is not there is left out, and of several
    /// also what cannot be read.
    ///
    /// # Errors
    /// When the place, or the one session, cannot be read.
    async fn read(&self, sessions: &[SessionId]) -> Result<Vec<KeptSession>, SessionsError>;

    /// Removes one. Whether there was one.
    ///
    /// # Errors
    /// [`SessionsError::InUse`] while it is written; when it cannot be removed.
    async fn remove(&self, session: &SessionId) -> Result<bool, SessionsError>;
}

/// The right to write one conversation, which ends with the value.
#[async_trait]
pub trait SessionHold: Send + Sync {
    /// Saves the conversation, whole or not at all. What was saved outlives this process.
    ///
    /// # Errors
    /// When it cannot be saved, or another process has taken it over meanwhile.
    async fn keep(&self, session: &KeptSession) -> Result<(), SessionsError>;

    /// Gives the right back before the value ends.
    async fn release(self: Box<Self>);
}
