//! What repositories' own configuration names, as entries beside those that the table knows: as it
//! lies there now.

use std::path::{Component, Path, PathBuf};

use tools_core::{ConfiguredFiles, ObeyedClass};

use super::obeyed::{ObeyedEntry, ReadOnlyPath, is_installed, pinned};

/// Most entries of one folder that are told one by one; it is held as a whole.
const MAX_LISTED: usize = 1000;
/// How deep such a folder is looked into.
const MAX_DEPTH: usize = 3;

/// What these repositories, and those that hold one of the canonical `roots`, name.
pub(super) fn configured<'a>(roots: &[PathBuf], repositories: impl IntoIterator<Item = &'a Path>) -> ConfiguredFiles {
    let mut found = ConfiguredFiles::around(roots.iter().map(PathBuf::as_path));
    for repository in repositories {
        found.add_repository(repository);
    }
    found
}

/// What lies in the `roots` of it. A file is an entry, a folder one with all that is in it.
pub(super) fn entries(roots: &[PathBuf], configured: &ConfiguredFiles) -> Vec<ObeyedEntry> {
    let mut entries = Vec::new();
    for (path, is_folder) in configured.places() {
        let Some(root) = roots.iter().find(|root| path != root.as_path() && path.starts_with(root)) else { continue };
        let Ok(metadata) = path.symlink_metadata() else { continue };
        if is_folder && metadata.is_dir() && !roots.iter().any(|root| root.starts_with(path)) {
            entries.push(entry(root, path, true, !metadata.is_symlink()));
            list(root, path, MAX_DEPTH, &mut entries);
        } else if !metadata.is_dir() {
            entries.push(entry(root, path, false, metadata.is_file()));
        }
    }
    entries
}

/// The entries of a folder that is held itself.
fn list(root: &Path, folder: &Path, depth: usize, entries: &mut Vec<ObeyedEntry>) {
    let found: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_LISTED).collect();
    for found in found {
        let path = found.path();
        let is_folder = found.file_type().is_ok_and(|kind| kind.is_dir());
        entries.push(entry(root, &path, is_folder, false));
        if is_folder && depth > 1 {
            list(root, &path, depth - 1, entries);
        }
    }
}

fn entry(root: &Path, path: &Path, is_folder: bool, can_be_held: bool) -> ObeyedEntry {
    let inside = path.strip_prefix(root).unwrap_or(path);
    // What is installed or built is written by every installer and build.
    let class = if is_installed(inside) { ObeyedClass::Asked } else { ObeyedClass::Guarded };
    let is_held = can_be_held && class == ObeyedClass::Guarded;
    let pinned = pinned(inside.parent().unwrap_or(Path::new(""))).unwrap_or(0);
    ObeyedEntry {
        path: path.to_owned(),
        by: "git",
        class,
        is_folder,
        is_of_git: inside.components().any(|part| part == Component::Normal(".git".as_ref())),
        is_configured: true,
        held: is_held.then(|| ReadOnlyPath { path: path.to_owned(), pinned }),
    }
}
