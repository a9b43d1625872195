//! What of a store in a file is kept from tools.

use std::path::{Path, PathBuf};

use crate::{kernel::Canonical, private::make_private_folder};

/// The places that no tool may read of a store in the file at `path`, whose relative path starts in
/// the folder `state`: its folder where that is the store's alone (it is made), else the file and
/// what SQLite keeps beside it.
pub fn store_places(state: &Path, path: &Path, canonical: &mut Canonical) -> Vec<PathBuf> {
    let named = state.join(path);
    let (Some(folder), Some(name)) = (named.parent(), named.file_name()) else { return vec![] };
    if folder != state && folder.starts_with(state) && path.is_relative() {
        // What is not there cannot be hidden by the kernel, and a job may run on when it is made.
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
