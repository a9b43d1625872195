//! The trait between the layer and the storage of lines.

use async_trait::async_trait;

use crate::{AuditError, Head};

/// Chains and stores lines. Called by the [`crate::Audit`] layer once per call, also from a
/// destructor: it must neither panic nor wait for other tasks.
#[async_trait]
pub trait AuditSink: Send + Sync {
    /// Stores one line and returns the head of the chain after it.
    ///
    /// `body` holds the members of the line without braces; the sink adds `v`, `seq`, `prev` and
    /// `hash`.
    ///
    /// # Errors
    /// When the line is not stored completely.
    fn append(&self, body: &str) -> Result<Head, AuditError>;

    /// As [`AuditSink::append`], for async callers: a sink on another machine blocks no thread.
    /// After the first poll the line is stored even if the future is dropped.
    ///
    /// # Errors
    /// As [`AuditSink::append`].
    async fn store(&self, body: String) -> Result<Head, AuditError> {
        self.append(&body)
    }

    /// Ensures that there is space for the line of a call about to run: a call that cannot be
    /// recorded must not run. A sink whose storage cannot reserve space guarantees nothing.
    ///
    /// # Errors
    /// When there is no space.
    fn prepare(&self) -> Result<(), AuditError>;
}
