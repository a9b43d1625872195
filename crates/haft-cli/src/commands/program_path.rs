//! Path of this program, for command lines that start it again.

use std::path::PathBuf;

/// Path of this program. If it was called by an absolute path, that path: a link survives an
/// update.
pub(crate) fn our_path() -> PathBuf {
    let called = std::env::args_os().next().map(PathBuf::from).filter(|path| path.is_absolute());
    called.or_else(|| std::env::current_exe().ok()).unwrap_or_else(|| PathBuf::from("haft"))
}
