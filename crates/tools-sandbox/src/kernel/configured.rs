//! Obeyed entries beside those in the table: files that the configuration of repositories names,
//! and the targets of links with obeyed names.

use std::path::{Component, Path, PathBuf};

use tools_core::{ConfiguredFiles, ObeyedClass};

use super::obeyed::{ObeyedEntry, ReadOnlyPath, is_installed, pinned};

/// Maximum number of listed entries per folder; the folder is held as a whole.
const MAX_LISTED: usize = 1000;
/// Maximum depth to which such a folder is listed.
const MAX_DEPTH: usize = 3;
/// Program and class of files that a repository's configuration names.
const GIT: (&str, ObeyedClass) = ("git", ObeyedClass::Guarded);

/// The files named by these repositories and by those that contain one of the canonical `roots`,
/// and the targets of these links.
pub(super) fn configured<'a>(
    roots: &[PathBuf],
    repositories: impl IntoIterator<Item = &'a Path>,
    links: impl IntoIterator<Item = &'a Path>,
) -> ConfiguredFiles {
    let mut found = ConfiguredFiles::default();
    for root in roots {
        found.add_top(root);
    }
    for root in roots {
        found.add_around(root);
    }
    for link in links {
        let inside = roots.iter().find_map(|root| link.strip_prefix(root).ok());
        if let Some(inside) = inside.filter(|inside| !is_installed(inside)) {
            found.add_link(link, inside, roots);
        }
    }
    for repository in repositories {
        found.add_repository(repository);
    }
    found
}

/// The entries in `roots`. A file is one entry, a folder one with all its content.
pub(super) fn entries(roots: &[PathBuf], configured: &ConfiguredFiles) -> Vec<ObeyedEntry> {
    let mut entries = Vec::new();
    for (path, is_folder) in configured.places() {
        let Some(root) = roots.iter().find(|root| path != root.as_path() && path.starts_with(root)) else { continue };
        let Ok(metadata) = path.symlink_metadata() else { continue };
        if is_folder && metadata.is_dir() && !roots.iter().any(|root| root.starts_with(path)) {
            entries.push(entry(root, path, true, !metadata.is_symlink(), GIT));
            list(root, path, MAX_DEPTH, GIT, &mut entries);
        } else if !metadata.is_dir() {
            entries.push(entry(root, path, false, metadata.is_file(), GIT));
        }
    }
    for place in configured.linked_places() {
        // A file that is reached by a further link is an entry at its real place.
        let is_there = place.parent().is_some_and(|above| above.canonicalize().is_ok_and(|real| real == above));
        if let Some(root) = roots.iter().find(|root| is_there && place.starts_with(root)) {
            add_linked(root, place, MAX_DEPTH, configured, &mut entries);
        }
    }
    entries
}

/// Adds the target of a link: a file, a folder as a whole, or the entries of a folder that the
/// table matches by the path through the link.
fn add_linked(root: &Path, place: &Path, depth: usize, configured: &ConfiguredFiles, entries: &mut Vec<ObeyedEntry>) {
    let Ok(metadata) = place.symlink_metadata() else { return };
    let row = configured.linked_as(place).map(|row| (row.by, row.class, row.pattern.ends_with("/**")));
    match row {
        Some((by, class, _)) if !metadata.is_dir() => {
            entries.push(entry(root, place, false, metadata.is_file(), (by, class)));
        }
        Some((by, class, true)) if place != root => {
            entries.push(entry(root, place, true, true, (by, class)));
            list(root, place, MAX_DEPTH, (by, class), entries);
        }
        None if metadata.is_symlink() && configured.leads_to(place) => {
            entries.push(entry(root, place, false, false, ("other programs", ObeyedClass::Guarded)));
        }
        _ if metadata.is_dir() && depth > 0 => {
            for found in std::fs::read_dir(place).into_iter().flatten().flatten().take(MAX_LISTED) {
                let path = found.path();
                if configured.linked_as(&path).is_some() || configured.leads_to(&path) {
                    add_linked(root, &path, depth - 1, configured, entries);
                }
            }
        }
        _ => {}
    }
}

/// Adds the entries of a folder that is itself held.
fn list(root: &Path, folder: &Path, depth: usize, row: (&'static str, ObeyedClass), entries: &mut Vec<ObeyedEntry>) {
    let found: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_LISTED).collect();
    for found in found {
        let path = found.path();
        let is_folder = found.file_type().is_ok_and(|kind| kind.is_dir());
        entries.push(entry(root, &path, is_folder, false, row));
        if is_folder && depth > 1 {
            list(root, &path, depth - 1, row, entries);
        }
    }
}

fn entry(
    root: &Path,
    path: &Path,
    is_folder: bool,
    can_be_held: bool,
    row: (&'static str, ObeyedClass),
) -> ObeyedEntry {
    let inside = path.strip_prefix(root).unwrap_or(path);
    // Every installer and build writes installed or built files.
    let (by, class) = row;
    let class = if is_installed(inside) { class.min(ObeyedClass::Asked) } else { class };
    let is_held = can_be_held && class == ObeyedClass::Guarded;
    let pinned = pinned(inside.parent().unwrap_or(Path::new(""))).unwrap_or(0);
    ObeyedEntry {
        path: path.to_owned(),
        by,
        class,
        is_folder,
        is_link: path.is_symlink(),
        is_of_git: inside.components().any(|part| part == Component::Normal(".git".as_ref())),
        is_configured: true,
        held: is_held.then(|| ReadOnlyPath { path: path.to_owned(), pinned }),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::super::MaskRules;
    use super::*;

    #[test]
    fn what_links_with_obeyed_names_lead_to_is_held_where_it_lies() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        for file in ["envs/dev", "cfg/vs/tasks.json", "c/config.toml", "c/x", "sub/real.md", "mk", "b", "hk/pre-push"] {
            fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            fs::write(root.join(file), "").unwrap();
        }
        for (link, target) in [
            (".envrc", "envs/dev"),
            (".vscode", "cfg/vs"),
            (".cargo", "c"),
            ("sub/CLAUDE.md", "real.md"),
            ("Makefile", "mk"),
            (".husky", "hk"),
            (".mcp.json", "a"),
            ("a", "b"),
            (".idea", "."),
            (".zed", "/etc"),
            ("latest", "envs"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        let found = MaskRules::nothing().masks(std::slice::from_ref(&root)).obeyed;
        let shown = |path: &Path| path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        let held: Vec<String> = found.held().iter().map(|held| shown(&held.path)).collect();
        assert_eq!(held, ["b", "c/config.toml", "cfg/vs", "envs/dev", "sub/real.md"]);
        let told = |path: &str| {
            let entry = found.entries.iter().find(|entry| entry.path == root.join(path));
            entry.map(|entry| (entry.by, entry.class))
        };
        assert_eq!(told("mk"), Some(("builds", ObeyedClass::Reported)));
        assert_eq!(told("hk/pre-push"), Some(("git hooks", ObeyedClass::Asked)));
        assert_eq!(told("cfg/vs/tasks.json"), Some(("editors", ObeyedClass::Guarded)));
        assert_eq!(told("a"), Some(("coding agents", ObeyedClass::Guarded)));
        assert_eq!((told("c/x"), told("latest"), told("sub")), (None, None, None));
    }
}
