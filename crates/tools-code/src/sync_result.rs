//! Result of an index update.

use tools_sandbox::WalkSummary;

/// Result of an index update.
#[derive(Debug, Clone, Default)]
pub(crate) struct SyncResult {
    pub(crate) walked: WalkSummary,
    /// Number of files that did not fit into memory.
    pub(crate) full: u64,
    /// Reason why changes are not watched although they should be.
    pub(crate) unwatched: Option<&'static str>,
}
