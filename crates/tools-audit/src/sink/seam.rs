//! What a sink is: the trait between the layer and whatever stores lines.

use async_trait::async_trait;

use crate::{AuditError, Head};

/// Chains lines and stores them. Called by the [`crate::Audit`] layer once per call, also from a
/// destructor: it must neither panic nor wait for other tasks.
#[async_trait]
pub trait AuditSink: Send + Sync {
    /// Stores one line and returns the head of the chain after it.
    ///
    /// `body` is the members of the line without braces; the sink adds `v`, `seq`, `prev` and
    /// `hash`.
    ///
    /// # Errors
    /// When the line is not, or not wholly, stored.
    fn append(&self, body: &str) -> Result<Head, AuditError>;

    /// The same for a caller that can wait: a sink on another machine holds up no thread. What was
    /// polled once is stored also when the future is dropped.
    ///
    /// # Errors
    /// As [`AuditSink::append`].
    async fn store(&self, body: String) -> Result<Head, AuditError> {
        self.append(&body)
    }

    /// Makes sure that there is room for the line of a call that is about to run: one that could
    /// not be put on record must not run first. A sink whose storage cannot promise room promises
    /// nothing.
    ///
    /// # Errors
    /// When there is no room.
    fn prepare(&self) -> Result<(), AuditError>;
}
