//! Lexical path handling. The sandbox resolves links.

use std::path::{Component, Path, PathBuf};

/// A path without `.`, `..` and doubled separators; links are not resolved.
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
