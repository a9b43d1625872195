//! Interface of a store of saved conversations.

use async_trait::async_trait;
use thiserror::Error;
use tools_core::SessionId;

use super::{SavedSession, SessionEntry};

/// Reason why saved conversations cannot be read, or one cannot be written.
#[derive(Debug, Error)]
pub enum SessionsError {
    /// Another process or part of this one holds its lock.
    #[error("the session is in use: {0}")]
    InUse(String),
    /// It was removed, or taken over and removed, while it was open here.
    #[error("the session was removed by another process")]
    Removed,
    /// The store cannot be used.
    #[error("the saved sessions cannot be used: {0}")]
    Away(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl From<std::io::Error> for SessionsError {
    fn from(error: std::io::Error) -> Self {
        Self::Away(error.into())
    }
}

/// A store of saved conversations. Called by [`super::Sessions`]; implemented for a folder
/// ([`super::FolderSessions`]) and, by hosts, for a database.
#[async_trait]
pub trait SessionStore: Send + Sync {
    /// Locks a session for writing; it may be new.
    ///
    /// # Errors
    /// [`SessionsError::InUse`] while another holds it.
    async fn hold(&self, session: &SessionId) -> Result<Box<dyn SessionHold>, SessionsError>;

    /// All conversations, the latest first. Unreadable ones are left out.
    async fn list(&self) -> Result<Vec<SessionEntry>, SessionsError>;

    /// Conversations of sessions, in the order of the list. Missing ones are left out, and among
    /// several also unreadable ones.
    ///
    /// # Errors
    /// If the store, or the only session, cannot be read.
    async fn read(&self, sessions: &[SessionId]) -> Result<Vec<SavedSession>, SessionsError>;

    /// Removes a conversation; returns whether there was one.
    ///
    /// # Errors
    /// [`SessionsError::InUse`] while it is being written; if it cannot be removed.
    async fn remove(&self, session: &SessionId) -> Result<bool, SessionsError>;
}

/// Exclusive right to write one conversation; it ends with the value.
#[async_trait]
pub trait SessionHold: Send + Sync {
    /// Saves the conversation atomically and durably.
    ///
    /// # Errors
    /// If it cannot be saved, or another process has taken it over in the meantime.
    async fn keep(&self, session: &SavedSession) -> Result<(), SessionsError>;

    /// Releases the lock before the value is dropped.
    async fn release(self: Box<Self>);
}
