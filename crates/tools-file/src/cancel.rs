//! Tells work on its own thread whether a caller still waits for it.

use tokio_util::sync::CancellationToken;

use crate::error::FileError;

/// Whether a caller still waits for the result.
#[derive(Debug, Clone)]
pub(crate) struct Cancel(CancellationToken);

impl Cancel {
    /// A value for cleanup work, which cannot be cancelled.
    pub(crate) fn never() -> Self {
        Self(CancellationToken::new())
    }

    pub(crate) fn of(token: CancellationToken) -> Self {
        Self(token)
    }

    pub(crate) fn check(&self) -> Result<(), FileError> {
        if self.is_cancelled() { Err(FileError::Cancelled) } else { Ok(()) }
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}
