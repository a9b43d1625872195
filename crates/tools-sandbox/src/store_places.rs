//! Paths of a store file that tools may not read.

use std::path::{Path, PathBuf};

use crate::{kernel::Canonical, private::make_private_folder};

/// The places that no tool may read for a store in the file at `path`, which is relative to
/// `state`: its folder if only the store uses it (created if missing), otherwise the file and
/// SQLite's files beside it.
pub fn store_places(state: &Path, path: &Path, canonical: &mut Canonical) -> Vec<PathBuf> {
    let named = state.join(path);
    let (Some(folder), Some(name)) = (named.parent(), named.file_name()) else { return vec![] };
    if folder != state && folder.starts_with(state) && path.is_relative() {
        // The kernel cannot hide a missing folder, and a job may still run when it is created.
        let _ = make_private_folder(folder);
        return vec![canonical.by_words(folder)];
    }
    let file = canonical.by_words(folder).join(name);
    let beside = ["", "-wal", "-shm"].map(|ending| {
        let mut path = file.clone().into_os_string();
        path.push(ending);
        PathBuf::from(path)
    });
    beside.into()
}
