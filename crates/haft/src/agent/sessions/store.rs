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

/// A place of saved conversations. Called by [`super::Sessions`], which says what each method is
/// for.
#[async_trait]
pub(super) trait SessionStore: Send + Sync {
    async fn hold(&self, session: &SessionId) -> Result<Box<dyn Hold>, SessionsError>;
    async fn list(&self) -> Result<Vec<SessionEntry>, SessionsError>;
    async fn read(&self, sessions: &[SessionId]) -> Result<Vec<KeptSession>, SessionsError>;
    async fn remove(&self, session: &SessionId) -> Result<bool, SessionsError>;
}

/// The right to write one conversation, which ends with the value.
#[async_trait]
pub(super) trait Hold: Send + Sync {
    async fn keep(&self, session: &KeptSession) -> Result<(), SessionsError>;
    async fn release(self: Box<Self>);
}
