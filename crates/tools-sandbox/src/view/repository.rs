//! Finds the rest of a project if the workspace is only a part of it: the repository around it, and
//! the repository of a git work tree or submodule.

use std::path::{Path, PathBuf};

use super::surroundings::Surroundings;
use crate::below::below_any;

/// Maximum length in bytes of a git file that names another place.
const MAX_BYTES: u64 = 4096;

/// A place that belongs to the project of a workspace.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ProjectPlace {
    pub(super) path: PathBuf,
    pub(super) why: &'static str,
    /// Whether it contains more than git's own files.
    pub(super) is_tree: bool,
    /// Whether git writes there when it commits.
    pub(super) is_written: bool,
}

/// The places that belong to the project of `root`, one of the `writable` folders. A link or a file
/// in a writable folder grants nothing by itself: otherwise, whoever may write there could choose
/// what else is readable.
pub(super) fn belonging(root: &Path, writable: &[PathBuf], around: &Surroundings) -> Vec<ProjectPlace> {
    let mut found = Vec::new();
    let is_home = |folder: &Path| around.homes.iter().chain(&around.others).any(|home| home.starts_with(folder));
    let above = root.ancestors().take_while(|folder| folder.parent().is_some() && !is_home(folder));
    let Some(top) = above.into_iter().find(|folder| folder.join(".git").symlink_metadata().is_ok()) else {
        return found;
    };
    if top != root {
        found.push(ProjectPlace {
            path: top.to_owned(),
            why: "the repository around the workspace",
            is_tree: true,
            is_written: false,
        });
    }
    let named = top.join(".git");
    let is_writable = |path: &Path| path.canonicalize().is_ok_and(|path| below_any(&path, writable));
    let own = if !named.is_dir() {
        kept_elsewhere(&named, top)
    } else if named.is_symlink() && is_writable(top) {
        named.canonicalize().ok().filter(|own| names_back(own, &named))
    } else {
        Some(named)
    };
    let Some(own) = own else { return found };
    let named = named_in(&own.join("commondir"), "", &own);
    let is_around = |common: &PathBuf| {
        common.canonicalize().is_ok_and(|common| own.canonicalize().is_ok_and(|own| own.starts_with(common)))
    };
    let common = named.filter(|common| !is_writable(&own) || is_around(common)).unwrap_or_else(|| own.clone());
    for path in [common.clone(), own] {
        found.push(ProjectPlace {
            path,
            why: "what git keeps of the workspace's repository",
            is_tree: false,
            is_written: true,
        });
    }
    if is_writable(&common) {
        return found;
    }
    let alternates = read(&common.join("objects/info/alternates")).unwrap_or_default();
    let objects = common.join("objects");
    found.extend(alternates.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
        ProjectPlace {
            path: objects.join(line),
            why: "objects that the workspace's repository borrows",
            is_tree: false,
            is_written: false,
        }
    }));
    found
}

/// The folder that the file `named` of the work tree `top` names, if that folder also names the
/// work tree.
fn kept_elsewhere(named: &Path, top: &Path) -> Option<PathBuf> {
    named_in(named, "gitdir:", top).filter(|own| names_back(own, named))
}

/// Whether the git folder `own` names the work tree whose `.git` is `named`.
fn names_back(own: &Path, named: &Path) -> bool {
    let same = |path: &Path, other: &Path| {
        path.canonicalize().is_ok_and(|path| other.canonicalize().is_ok_and(|other| other == path))
    };
    let is_named_back = named_in(&own.join("gitdir"), "", own).is_some_and(|back| same(&back, named));
    let config = || read(&own.join("config")).unwrap_or_default();
    let is_tree_of = |line: &str| {
        let tree = line.trim().strip_prefix("worktree").and_then(|rest| rest.trim().strip_prefix('='));
        tree.is_some_and(|tree| named.parent().is_some_and(|top| same(&own.join(tree.trim()), top)))
    };
    is_named_back || config().lines().any(is_tree_of)
}

/// The path that the file `file` names after `word`, relative to `base`.
fn named_in(file: &Path, word: &str, base: &Path) -> Option<PathBuf> {
    let text = read(file)?;
    let name = text.lines().next()?.strip_prefix(word)?.trim();
    (!name.is_empty()).then(|| base.join(name))
}

fn read(file: &Path) -> Option<String> {
    use std::{io::Read as _, os::unix::fs::OpenOptionsExt as _};
    let metadata = file.symlink_metadata().ok()?;
    if !metadata.is_file() || metadata.len() > MAX_BYTES {
        return None;
    }
    let mut text = String::new();
    // Never waits, even if the file is replaced meanwhile.
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    std::fs::OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(file)
        .ok()?
        .take(MAX_BYTES)
        .read_to_string(&mut text)
        .ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> (tempfile::TempDir, PathBuf) {
        let base = tempfile::tempdir().unwrap();
        let path = base.path().canonicalize().unwrap();
        (base, path)
    }

    fn paths(root: &Path, around: &Surroundings) -> Vec<(PathBuf, bool)> {
        writing(root, &[], around)
    }

    fn writing(root: &Path, further: &[PathBuf], around: &Surroundings) -> Vec<(PathBuf, bool)> {
        let writable = [&[root.to_owned()], further].concat();
        belonging(root, &writable, around).into_iter().map(|belongs| (belongs.path, belongs.is_tree)).collect()
    }

    #[test]
    fn a_part_of_a_repository_belongs_to_it() {
        let (_base, base) = tree();
        std::fs::create_dir_all(base.join("repo/.git/objects/info")).unwrap();
        std::fs::create_dir_all(base.join("repo/crates/a")).unwrap();
        std::fs::write(base.join("repo/.git/objects/info/alternates"), "/shared/objects\n# no\n").unwrap();
        let objects = |found: Vec<(PathBuf, bool)>| found.iter().any(|(path, _)| path == Path::new("/shared/objects"));
        assert!(!objects(paths(&base.join("repo"), &Surroundings::default())));
        let git = base.join("repo/.git");
        let expected =
            [(base.join("repo"), true), (git.clone(), false), (git, false), (PathBuf::from("/shared/objects"), false)];
        assert_eq!(paths(&base.join("repo/crates/a"), &Surroundings::default()), expected);
        let around = Surroundings { homes: vec![base.join("repo")], ..Surroundings::default() };
        assert_eq!(paths(&base.join("repo/crates/a"), &around), []);
        assert_eq!(paths(&base, &Surroundings::default()), []);
    }

    #[test]
    fn a_work_tree_belongs_to_what_git_keeps_elsewhere() {
        let (_base, base) = tree();
        std::fs::create_dir_all(base.join("main/.git/worktrees/w")).unwrap();
        std::fs::create_dir_all(base.join("w")).unwrap();
        std::fs::write(base.join("main/.git/worktrees/w/commondir"), "../..\n").unwrap();
        let own = base.join("main/.git/worktrees/w");
        let file = base.join("w/.git");
        std::fs::write(&file, format!("gitdir: {}\n", own.display())).unwrap();
        assert_eq!(paths(&base.join("w"), &Surroundings::default()), [], "nothing names it back");
        std::fs::write(own.join("gitdir"), format!("{}\n", file.display())).unwrap();
        let expected = [(own.join("../.."), false), (own, false)];
        assert_eq!(paths(&base.join("w"), &Surroundings::default()), expected);
    }

    #[test]
    fn what_lies_in_a_writable_folder_grants_nothing() {
        let (_base, base) = tree();
        let around = Surroundings::default();
        std::fs::create_dir_all(base.join("private/.git")).unwrap();
        std::fs::create_dir_all(base.join("new/.git")).unwrap();
        std::fs::write(base.join("new/.git/commondir"), "../../private/.git\n").unwrap();
        let own = base.join("new/.git");
        assert_eq!(paths(&base.join("new"), &around), [(own.clone(), false), (own, false)]);
        std::fs::create_dir(base.join("linked")).unwrap();
        std::os::unix::fs::symlink("../private/.git", base.join("linked/.git")).unwrap();
        assert_eq!(paths(&base.join("linked"), &around), []);
        std::fs::write(base.join("private/.git/config"), "[core]\nworktree = ../../linked\n").unwrap();
        let private = (base.join("private/.git"), false);
        assert_eq!(paths(&base.join("linked"), &around), [private.clone(), private]);

        std::fs::create_dir_all(base.join("repo/.git/objects/info")).unwrap();
        std::fs::create_dir_all(base.join("repo/part")).unwrap();
        std::fs::write(base.join("repo/.git/objects/info/alternates"), "/private/objects\n").unwrap();
        let git = base.join("repo/.git");
        let borrowed = (PathBuf::from("/private/objects"), false);
        assert!(paths(&base.join("repo/part"), &around).contains(&borrowed));
        let granted = writing(&base.join("repo/part"), &[git], &around);
        assert!(!granted.contains(&borrowed), "the git folder is writable: {granted:?}");
    }
}
