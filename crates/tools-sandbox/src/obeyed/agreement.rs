//! What a person, or a rule, agreed that a child may change of what programs obey.

use std::path::Path;

use crate::kernel::ObeyedEntry;

/// The changes that were agreed to. Asked by the [`Guard`](super::Guard) of a child, before and
/// after it.
pub trait Agreement: Send + Sync {
    /// Whether the file or folder need not be held.
    fn lift(&self, entry: &ObeyedEntry) -> bool;

    /// Whether what came to be under `path` may stay there; `is_of_git` where git keeps it.
    fn cover(&self, path: &Path, is_of_git: bool) -> bool;

    /// Whether something below `path` may come to be, and `path` with it.
    fn lead_below(&self, path: &Path) -> bool;
}

/// Nobody agreed to anything.
#[derive(Debug, Clone, Copy, Default)]
pub struct NothingAgreed;

impl Agreement for NothingAgreed {
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
