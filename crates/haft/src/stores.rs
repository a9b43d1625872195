//! Files of ours that keep something for later runs: where they lie, and what of them no tool may
//! read.

use std::path::{Path, PathBuf};

use crate::config::places::state_dir;

/// The file that a section names; a relative path starts in the state folder.
pub(crate) fn file(path: &Path) -> PathBuf {
    state_dir().join(path)
}

/// What no tool may read: the folder of the file where it is ours alone, else the file and what
/// SQLite keeps beside it.
#[cfg(any(feature = "shell", feature = "file"))]
pub(crate) fn private(path: &Path) -> Vec<PathBuf> {
    let named = file(path);
    let Some(folder) = named.parent() else { return vec![] };
    let state = state_dir();
    if folder != state && folder.starts_with(&state) && path.is_relative() {
        // What is not there cannot be hidden by the kernel, and a job may run on when it is made.
        let _ = tools_sandbox::make_private_folder(folder);
        return vec![canonical(folder)];
    }
    let beside = ["", "-wal", "-shm"].map(|ending| {
        let mut path = canonical(&named).into_os_string();
        path.push(ending);
        PathBuf::from(path)
    });
    beside.into()
}

/// The path with its folder's links followed, whether or not it is there itself.
#[cfg(any(feature = "shell", feature = "file"))]
fn canonical(path: &Path) -> PathBuf {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return path.to_owned() };
    folder.canonicalize().map_or_else(|_| path.to_owned(), |folder| folder.join(name))
}
