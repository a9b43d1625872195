//! Paths as text, for formats that only hold text.

use std::path::{Path, PathBuf};

use serde::Serializer;

/// Serializes a path, with bytes that are not text replaced visibly.
pub(super) fn lossy<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

/// A path with its text changed; the original path if its text stays the same.
pub(crate) fn mapped_path(path: PathBuf, change: impl Fn(&str) -> String) -> PathBuf {
    let changed = path.to_str().map(change).filter(|changed| Some(changed.as_str()) != path.to_str());
    changed.map_or(path, PathBuf::from)
}
