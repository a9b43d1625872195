//! Paths by their words alone. Where links lead is the sandbox's question.

use std::path::{Component, Path, PathBuf};

/// A path without `.`, `..` and doubled separators, by its words alone.
pub fn plain_path(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}
