//! Paths as text, where text is all that can be written.

use std::path::{Path, PathBuf};

use serde::Serializer;

/// Writes a path, with what is no text in it shown as such.
pub(super) fn lossy<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

/// A path with its text changed, and as it is where the change leaves it alone.
pub(crate) fn mapped_path(path: PathBuf, change: impl Fn(&str) -> String) -> PathBuf {
    let changed = path.to_str().map(change).filter(|changed| Some(changed.as_str()) != path.to_str());
    changed.map_or(path, PathBuf::from)
}
