//! The result of bringing the index up to the files.

use tools_sandbox::WalkSummary;

/// What a look at the files came to.
#[derive(Debug, Clone, Default)]
pub(crate) struct SyncResult {
    pub(crate) walked: WalkSummary,
    /// Files that did not fit into memory.
    pub(crate) full: u64,
    /// Why the system is not asked what changed, where it should be.
    pub(crate) unwatched: Option<&'static str>,
}
