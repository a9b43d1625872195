//! Where this program is, for lines that start it again.

use std::path::PathBuf;

/// The path of this program, as it was called where that was an absolute path: a link to it
/// outlives an update.
pub(crate) fn our_path() -> PathBuf {
    let called = std::env::args_os().next().map(PathBuf::from).filter(|path| path.is_absolute());
    called.or_else(|| std::env::current_exe().ok()).unwrap_or_else(|| PathBuf::from("haft"))
}
