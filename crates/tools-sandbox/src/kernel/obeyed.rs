//! Finds the entries of a folder that programs outside any sandbox obey by name, and how each is
//! held against a child process. Pure: the walk reads the folders. Files named by a repository's
//! configuration are in `configured.rs`.

use std::{
    ffi::OsStr,
    path::{Component, Path, PathBuf},
};

use tools_core::{ObeyedClass, ObeyedFile, find_obeyed, is_plan, is_repository, leads_to_guarded};

/// Folders of installed or built files: large, with few secrets, and no configuration.
pub(super) const INSTALLED: [&str; 2] = ["node_modules", "target"];
/// The corresponding folder in a git repository.
const OBJECTS: &str = "objects";
/// Files in git's folder for a further work tree.
const WORK_TREE: [&str; 3] = ["HEAD", "commondir", "gitdir"];

/// A file, or a folder as a whole, that programs outside obey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObeyedEntry {
    /// Its path.
    pub path: PathBuf,
    /// The program that obeys it.
    pub by: &'static str,
    /// Whether a change needs agreement or is only reported.
    pub class: ObeyedClass,
    /// Whether it is a folder, which includes all its content.
    pub is_folder: bool,
    /// Whether it is a link. Its target is a separate entry.
    pub is_link: bool,
    /// Whether it belongs to git's own files of a repository, which git changes only on command.
    pub is_of_git: bool,
    /// Whether it was named by a repository's configuration and not by the table.
    pub is_configured: bool,
    /// Protection; `None` for entries that are only reported, for links, and for entries of a held
    /// folder.
    pub held: Option<ReadOnlyPath>,
}

/// A path that is read-only for a child although it lies in a writable folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReadOnlyPath {
    /// A file or a folder, not a link, by a canonical path.
    pub path: PathBuf,
    /// Number of parent folders that cannot be renamed either, so that it cannot be replaced
    /// together with them.
    pub pinned: usize,
}

impl ReadOnlyPath {
    /// The parent folders that cannot be renamed either.
    pub(super) fn folders(&self) -> impl Iterator<Item = PathBuf> {
        self.path.ancestors().skip(1).take(self.pinned).map(Path::to_owned)
    }
}

/// Kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Folder,
    Link,
}

/// Obeyed entries of a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ObeyedEntries {
    pub(super) entries: Vec<ObeyedEntry>,
    /// Whether it is a git repository.
    pub(super) is_repository: bool,
    pub(super) has_hooks: bool,
}

/// Finds the obeyed ones among the `entries` of `folder`, which lies in the writable `root`.
pub(super) fn obeyed_in(folder: &Path, root: &Path, entries: &[(impl AsRef<OsStr>, Kind)]) -> ObeyedEntries {
    let inside = folder.strip_prefix(root).unwrap_or(folder);
    let has = |name: &str| entries.iter().any(|(own, _)| own.as_ref() == name);
    let is_git_folder = folder.file_name().is_some_and(|name| name == ".git");
    let of_git = is_git_folder || inside.components().any(|part| part == Component::Normal(".git".as_ref()));
    let is_repository = is_git_folder || is_repository(has);
    let is_work_tree = !is_repository && WORK_TREE.into_iter().all(has);
    let mut found = ObeyedEntries { entries: Vec::new(), is_repository, has_hooks: has("hooks") };
    // Installed or built files are no configuration, but an agent looks for instructions at the top
    // of any folder.
    let is_installed = is_installed(inside);
    if is_installed && !is_top_of_installed(inside) {
        return found;
    }
    let place = Place { folder, inside, of_git, is_repository, is_work_tree, is_installed };
    found.entries.extend(entries.iter().filter_map(|(name, kind)| place.entry(name.as_ref(), *kind)));
    found
}

/// A folder and its properties.
struct Place<'a> {
    folder: &'a Path,
    inside: &'a Path,
    /// Whether it is `.git` or lies in it.
    of_git: bool,
    is_repository: bool,
    /// Whether git keeps a further work tree in it.
    is_work_tree: bool,
    /// Whether it contains installed or built files: installers write there, so nothing is held.
    is_installed: bool,
}

impl Place<'_> {
    fn entry(&self, name: &OsStr, kind: Kind) -> Option<ObeyedEntry> {
        let Some((obeyed, is_of_git)) = self.obeyed(name) else {
            return (kind == Kind::Link && self.leads(name)).then(|| self.leading(name));
        };
        // `.git` is usually a folder, which is not held itself.
        if kind == Kind::Folder && !obeyed.pattern.ends_with("/**") {
            return None;
        }
        let class = match obeyed.class {
            ObeyedClass::Guarded if self.is_installed => ObeyedClass::Asked,
            _ if self.is_installed => return None,
            class => class,
        };
        let path = self.folder.join(name);
        let is_held = class == ObeyedClass::Guarded && kind != Kind::Link && !self.is_held_itself();
        Some(ObeyedEntry {
            by: obeyed.by,
            class,
            is_folder: kind == Kind::Folder,
            is_link: kind == Kind::Link,
            is_of_git,
            is_configured: false,
            held: is_held.then(|| ReadOnlyPath { path: path.clone(), pinned: self.pinned() }),
            path,
        })
    }

    /// The row of the table for an entry of this name, and whether the entry belongs to git's own
    /// files. A repository folder is also judged as an ordinary folder: anybody can put `HEAD`,
    /// `objects` and `refs` beside a `CLAUDE.md`.
    fn obeyed(&self, name: &OsStr) -> Option<(&'static ObeyedFile, bool)> {
        // A branch may have any name, and its file lies in a folder for branches. Repositories in
        // this one are detected separately.
        let is_gits = |pattern: &str| {
            pattern.starts_with(".git/") && (!pattern.starts_with(".git/modules/") || is_plan(Path::new(pattern)))
        };
        let own = |path: &Path| find_obeyed(path).map(|found| found.obeyed).filter(|own| is_gits(own.pattern));
        let kept = match self {
            Self { is_repository: true, .. } => own(&Path::new(".git").join(name)),
            Self { is_work_tree: true, .. } => own(&Path::new(".git/worktrees/w").join(name)),
            _ => None,
        };
        if kept.is_some() || self.of_git {
            return kept.or_else(|| own(&self.inside.join(name))).map(|obeyed| (obeyed, true));
        }
        find_obeyed(&self.inside.join(name)).map(|found| (found.obeyed, false))
    }

    /// Whether a link of this name leads to guarded files, whatever folder it points to. Programs
    /// have such folders only under names that begin with a dot.
    fn leads(&self, name: &OsStr) -> bool {
        let path = self.inside.join(name);
        let is_hidden = path.iter().any(is_hidden);
        // Submodules may have any name.
        let is_of_module = self.of_git && path.iter().any(|part| part == "modules");
        is_hidden && !self.is_installed && !is_of_module && leads_to_guarded(&path)
    }

    /// The entry of such a link.
    fn leading(&self, name: &OsStr) -> ObeyedEntry {
        ObeyedEntry {
            path: self.folder.join(name),
            by: "other programs",
            class: ObeyedClass::Guarded,
            is_folder: false,
            is_link: true,
            is_of_git: self.of_git,
            is_configured: false,
            held: None,
        }
    }

    /// Whether the folder is held with all that is in it.
    fn is_held_itself(&self) -> bool {
        !self.is_repository
            && find_obeyed(self.inside).is_some_and(|found| {
                found.obeyed.class == ObeyedClass::Guarded && found.obeyed.pattern.ends_with("/**")
            })
    }

    /// Number of folders from the first whose name begins with a dot: folders above may be moved,
    /// and are checked again afterwards.
    fn pinned(&self) -> usize {
        let is_below = self.inside.components().next().is_some();
        pinned(self.inside).unwrap_or(usize::from((self.is_repository || self.is_work_tree) && is_below))
    }
}

/// Whether a folder contains installed or built files.
pub(super) fn is_installed(inside: &Path) -> bool {
    inside.components().any(|part| INSTALLED.iter().any(|name| part == Component::Normal(name.as_ref())))
}

/// Whether such a folder is the top of installed files, or a dot folder directly below it: packages
/// lie deeper.
fn is_top_of_installed(inside: &Path) -> bool {
    let mut names = inside.iter().rev().skip_while(|name| is_hidden(name));
    names.next().is_some_and(|name| INSTALLED.iter().any(|own| name == *own))
        && !names.any(|name| INSTALLED.iter().any(|own| name == *own))
}

/// Whether a walk that only looks for changes skips `name` in the folder `inside`.
pub(super) fn is_skipped(inside: &Path, is_repository: bool, name: &OsStr) -> bool {
    (is_repository && name == OBJECTS) || (is_installed(inside) && !is_hidden(name))
}

/// Whether a walk enters it after all others.
pub(super) fn is_large(is_repository: bool, name: &OsStr) -> bool {
    (is_repository && name == OBJECTS) || INSTALLED.iter().any(|own| name == *own)
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// Number of folders of a path from the first whose name begins with a dot; `None` if there is
/// none.
pub(super) fn pinned(inside: &Path) -> Option<usize> {
    let names: Vec<_> = inside.components().collect();
    let first = names.iter().position(|name| name.as_os_str().as_encoded_bytes().starts_with(b"."))?;
    Some(names.len() - first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(folder: &str, names: &[(&str, Kind)]) -> Vec<(String, bool, Option<usize>)> {
        let folder = Path::new("/w").join(folder);
        let found = obeyed_in(&folder, Path::new("/w"), names);
        let entry = |entry: ObeyedEntry| {
            let name = entry.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (name, entry.class == ObeyedClass::Guarded, entry.held.map(|held| held.pinned))
        };
        found.entries.into_iter().map(entry).collect()
    }

    fn entry(name: &str, is_guarded: bool, pinned: Option<usize>) -> (String, bool, Option<usize>) {
        (name.to_owned(), is_guarded, pinned)
    }

    #[test]
    fn files_and_folders_are_held_with_the_dotted_folders_above() {
        use Kind::{File, Folder, Link};
        let root = [
            (".envrc", File),
            (".git", Folder),
            ("src", Folder),
            ("package.json", File),
            (".mcp.json", Link),
            ("etc", Folder),
        ];
        let expected =
            [entry(".envrc", true, Some(0)), entry("package.json", false, None), entry(".mcp.json", true, None)];
        assert_eq!(held("", &root), expected);
        assert_eq!(held(".github", &[("workflows", Folder), ("x", File)]), [entry("workflows", true, Some(1))]);
        assert_eq!(held(".github/workflows", &[("ci.yml", File)]), [entry("ci.yml", true, None)]);
        assert_eq!(
            held("a/b", &[("CLAUDE.md", File), (".git", File)]),
            [entry("CLAUDE.md", true, Some(0)), entry(".git", true, Some(0))]
        );
        assert_eq!(held("node_modules/a", &[(".envrc", File)]), []);
        let installed = [("CLAUDE.md", File), ("package.json", File), (".claude", Folder)];
        for folder in ["node_modules", "a/target", "target/.cache"] {
            assert_eq!(held(folder, &installed), [entry("CLAUDE.md", false, None), entry(".claude", false, None)]);
        }
        assert_eq!(held("a/objects", &[("CLAUDE.md", File)]), [entry("CLAUDE.md", true, Some(0))]);
    }

    #[test]
    fn repositories_are_known_by_what_they_hold() {
        use Kind::{File, Folder};
        let repository = [
            ("HEAD", File),
            ("config", File),
            ("hooks", Folder),
            ("objects", Folder),
            ("refs", Folder),
            ("index", File),
        ];
        let expected = |pinned| [entry("config", true, Some(pinned)), entry("hooks", true, Some(pinned))];
        assert_eq!(held(".git", &repository), expected(1));
        assert_eq!(held("sub/.git", &repository), expected(1));
        assert_eq!(held(".git/modules/lib", &repository), expected(3));
        assert_eq!(held("srv/bare", &repository), expected(1));
        // The `HEAD` of a common folder is that of the work tree which leads to it.
        assert_eq!(held("srv/common", &repository[1..]), expected(1));
        assert_eq!(held(".git", &[("config", File)]), [entry("config", true, Some(1))]);
        assert_eq!(held("conf", &[("config", File), ("hooks", Folder)]), []);
    }

    #[test]
    fn what_leads_a_work_tree_to_its_repository_is_held() {
        use Kind::File;
        let tree = [("HEAD", File), ("commondir", File), ("gitdir", File), ("index", File), ("config.worktree", File)];
        let expected = |pinned| [entry("commondir", true, Some(pinned)), entry("config.worktree", true, Some(pinned))];
        assert_eq!(held(".git/worktrees/w", &tree), expected(3));
        assert_eq!(held("sub/.git/worktrees/w", &tree), expected(3));
        assert_eq!(held(".git/modules/lib/worktrees/w", &tree), expected(5));
        assert_eq!(held("srv/bare/worktrees/w", &tree), expected(1));
        // A branch has one file of its name, not three beside each other.
        assert_eq!(held(".git/modules/lib/refs/heads/worktrees/w", &tree[1..2]), []);
    }

    #[test]
    fn what_makes_a_folder_a_repository_takes_nothing_from_it() {
        use Kind::{File, Folder};
        let made_up = [("HEAD", File), ("objects", Folder), ("refs", Folder), ("CLAUDE.md", File), (".vscode", Folder)];
        assert_eq!(held("", &made_up), [entry("CLAUDE.md", true, Some(0)), entry(".vscode", true, Some(0))]);
        let names = |folder: &str| held(folder, &made_up).into_iter().map(|(name, ..)| name).collect::<Vec<_>>();
        assert_eq!(names("src"), ["CLAUDE.md", ".vscode"]);
        assert_eq!(names("src/.git"), [""; 0]);
    }

    #[test]
    fn links_that_bring_guarded_files_are_entries() {
        use Kind::Link;
        let names = |folder: &str, names: &[&str]| {
            let links: Vec<_> = names.iter().map(|name| (*name, Link)).collect();
            held(folder, &links).into_iter().map(|(name, ..)| name).collect::<Vec<_>>()
        };
        let all = [".cargo", ".github", ".git", ".envrc", ".bin", "latest", "library", "mise", "src", "refs"];
        assert_eq!(names("", &all), [".cargo", ".github", ".git", ".envrc"]);
        assert_eq!(names("a/.config", &["git", "systemd", "x"]), ["git", "systemd"]);
        assert_eq!(names(".git", &["hooks", "info", "worktrees", "HEAD", "refs"]), ["hooks", "info", "worktrees"]);
        assert_eq!(names(".git/modules/lib/refs/heads", &["x"]), [""; 0]);
        assert_eq!(names("node_modules", &[".bin", ".cargo"]), [""; 0]);
    }

    #[test]
    fn branches_may_have_any_name() {
        use Kind::{File, Folder};
        for folder in [".git/refs/heads", ".git/modules/lib/refs/heads", ".git/logs/refs/heads"] {
            assert_eq!(held(folder, &[("hooks", File), ("config", File), ("agents.md", File), ("x", Folder)]), []);
        }
        assert_eq!(held(".git/info", &[("attributes", File), ("exclude", File)]), [entry("attributes", true, Some(2))]);
    }
}
