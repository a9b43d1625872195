//! What of a store in a file is kept from tools.

use std::path::{Path, PathBuf};

use crate::private::make_private_folder;

/// The places that no tool may read of a store in the file at `path`, whose relative path starts in
/// the folder `state`: its folder where that is the store's alone (it is made), else the file and
/// what SQLite keeps beside it.
pub fn store_places(state: &Path, path: &Path) -> Vec<PathBuf> {
    let named = state.join(path);
    let Some(folder) = named.parent() else { return vec![] };
    if folder != state && folder.starts_with(state) && path.is_relative() {
        // What is not there cannot be hidden by the kernel, and a job may run on when it is made.
        let _ = make_private_folder(folder);
        return vec![canonical(folder)];
    }
    let beside = ["", "-wal", "-shm"].map(|ending| {
        let mut path = canonical(&named).into_os_string();
        path.push(ending);
        PathBuf::from(path)
    });
    beside.into()
}

/// A path with its folder's links followed, whether or not it is there itself.
fn canonical(path: &Path) -> PathBuf {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return path.to_owned() };
    folder.canonicalize().map_or_else(|_| path.to_owned(), |folder| folder.join(name))
}
