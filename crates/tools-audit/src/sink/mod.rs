//! Where lines go.

mod file;
mod flush;
mod head;
mod jsonl;
mod memory;
mod rotated;
mod tail;

#[cfg(feature = "otel")]
pub(crate) use file::{open_for_append, write_whole};
pub use head::{head_file, noted_head};
pub use jsonl::JsonlSink;
pub use memory::MemorySink;
pub(crate) use rotated::last_number;

use crate::{AuditError, Head};

/// Chains lines and stores them. Called by the [`crate::Audit`] layer once per call, also from a
/// destructor: it must neither panic nor wait for other tasks.
pub trait AuditSink: Send + Sync {
    /// Stores one line and returns the head of the chain after it.
    ///
    /// `body` is the members of the line without braces; the sink adds `v`, `seq`, `prev` and
    /// `hash`.
    ///
    /// # Errors
    /// When the line is not, or not wholly, stored.
    fn append(&self, body: &str) -> Result<Head, AuditError>;

    /// Makes sure that there is room for the line of a call that is about to run: one that could
    /// not be put on record must not run first. A sink whose storage cannot promise room promises
    /// nothing.
    ///
    /// # Errors
    /// When there is no room.
    fn prepare(&self) -> Result<(), AuditError>;
}
