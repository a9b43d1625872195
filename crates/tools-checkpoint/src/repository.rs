//! Treats a git folder as a unit: restoring only some of its files could leave references to
//! missing objects. It is restored as a whole, and only if nobody has used it since.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use tools_sandbox::{FileKind, tree::ShapeKind};

use crate::{folder_state::FolderState, hash::Hash};

/// Name of the git folder.
const NAME: &str = ".git";

/// The git folder that `path` belongs to; `is_directory` tells whether it is or was a directory.
pub(crate) fn of(path: &Path, is_directory: bool) -> Option<PathBuf> {
    let mut reached = PathBuf::new();
    let mut components = path.components();
    for component in components.by_ref() {
        reached.push(component);
        if component == Component::Normal(NAME.as_ref()) {
            let is_itself = components.as_path().as_os_str().is_empty();
            return (!is_itself || is_directory).then_some(reached);
        }
    }
    None
}

/// Whether git changes the file without a change of the repository: it notes there which files it
/// has read.
pub(crate) fn is_bookkeeping(path: &Path) -> bool {
    path.ends_with(".git/index")
}

/// Fingerprint of the repository at `folder`: every file in it by name, kind, length and time,
/// except those at the paths `except`.
pub(crate) fn fingerprint(seen: &FolderState, folder: &Path, except: &BTreeSet<&Path>) -> String {
    let counts = |path: &Path| path.starts_with(folder) && !except.contains(path);
    let folders: BTreeMap<_, _> = seen.folders.iter().filter(|(path, _)| counts(path)).collect();
    let mut text = Vec::new();
    for (path, items) in folders {
        text.extend_from_slice(path.as_os_str().as_encoded_bytes());
        for item in items.iter().filter(|item| counts(&path.join(&item.name))) {
            let shape = item.node.shape();
            let metadata = &item.node.metadata;
            let is_file = metadata.kind == FileKind::File;
            let size = if is_file { metadata.size } else { 0 };
            let time = if shape.kind == ShapeKind::Directory { (0, 0) } else { shape.modified };
            text.extend_from_slice(b"\0");
            text.extend_from_slice(item.name.as_encoded_bytes());
            text.extend(format!("\0{:?} {:o} {size} {time:?}", shape.kind, shape.mode).into_bytes());
        }
        text.push(b'\n');
    }
    Hash::of(text.as_slice()).map(|hash| hash.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_in_a_repository_belongs_to_it() {
        let check = |path: &str, is_directory: bool, expected: Option<&str>| {
            assert_eq!(of(Path::new(path), is_directory), expected.map(PathBuf::from), "{path}");
        };
        check("/w/.git/refs/heads/main", false, Some("/w/.git"));
        check("/w/sub/.git/modules/.git/x", false, Some("/w/sub/.git"));
        check("/w/.git", true, Some("/w/.git"));
        // In a worktree this is an ordinary file.
        check("/w/.git", false, None);
        check("/w/.github/x", false, None);
        check("/w/a", false, None);
    }
}
