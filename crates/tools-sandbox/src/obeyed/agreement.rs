//! Changes to obeyed files that a person or a rule agreed to for a child.

use std::path::Path;

use crate::kernel::ObeyedEntry;

/// The agreed changes. The [`Guard`](super::Guard) of a child queries them before and after it
/// runs.
pub trait Agreement: Send + Sync {
    /// Whether the file or folder need not be held read-only.
    fn lift(&self, entry: &ObeyedEntry) -> bool;

    /// Whether a new entry at `path` may stay; `is_of_git` if git keeps it.
    fn cover(&self, path: &Path, is_of_git: bool) -> bool;

    /// Whether entries below `path` may be created, and `path` with them.
    fn lead_below(&self, path: &Path) -> bool;
}

/// No change was agreed to.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoAgreement;

impl Agreement for NoAgreement {
    fn lift(&self, _: &ObeyedEntry) -> bool {
        false
    }

    fn cover(&self, _: &Path, _: bool) -> bool {
        false
    }

    fn lead_below(&self, _: &Path) -> bool {
        false
    }
}
