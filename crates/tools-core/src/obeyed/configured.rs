//! Code and settings that git obeys because a repository's configuration names them, in addition to
//! the table: folders of hooks, included files, scripts. The files are read directly, with limits;
//! git is never started. Also the targets of links with obeyed names.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use super::find::{find_obeyed, leads_to_guarded};
use super::git_config::{Setting, settings};
use super::links::LinkedPlaces;
use super::small_file::{Unreadable, read};
use super::table::{ObeyedClass, ObeyedFile};
use super::words::{is_path, words};

/// Maximum number of configuration files of one repository, including missing ones.
const MAX_FILES: usize = 64;
/// Maximum number of repositories examined for one call; near ones come first.
const MAX_REPOSITORIES: usize = 2000;
/// Maximum number of remembered places.
const MAX_PLACES: usize = 10_000;

/// Names of hooks that git runs.
pub(super) const HOOKS: &[&str] = &[
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "p4-changelist",
    "p4-post-changelist",
    "p4-pre-submit",
    "p4-prepare-changelist",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-receive",
    "post-rewrite",
    "post-update",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "pre-receive",
    "prepare-commit-msg",
    "proc-receive",
    "push-to-checkout",
    "reference-transaction",
    "sendemail-validate",
    "update",
];

/// Entries of a repository that may be links, in addition to its hooks.
const LINKABLE: &[&str] = &["commondir", "config", "config.worktree", "hooks", "info", "info/attributes", "worktrees"];

/// Places named in the configuration of some repositories, and targets of links with obeyed names.
/// They need not exist.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfiguredFiles {
    /// Each place, and whether it is a folder that counts with all its content.
    places: BTreeMap<PathBuf, bool>,
    /// The work trees. A folder that contains one leads to everything in it, so it is not counted.
    trees: BTreeSet<PathBuf>,
    repositories: BTreeSet<PathBuf>,
    around: BTreeSet<PathBuf>,
    links: LinkedPlaces,
    /// The working directories of calls: no link makes everything in one obeyed.
    tops: BTreeSet<PathBuf>,
}

impl ConfiguredFiles {
    /// The files named by the repositories around these absolute paths.
    pub fn around<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Self {
        let mut found = Self::default();
        for path in paths {
            found.add_around(path);
        }
        found
    }

    /// Adds the targets of links at the top of a working directory, and of those in its folders of
    /// obeyed files. Must be called first: nothing outside these folders and repositories is added
    /// later.
    pub fn add_top(&mut self, top: &Path) {
        let top = canonical(top);
        if self.tops.insert(top.clone()) {
            self.look_at_links(&top);
        }
    }

    /// Adds the targets of links along a path, as the call gives it relative to its working
    /// directory: they may lie deeper than [`add_top`](Self::add_top) looks.
    pub fn add_given(&mut self, given: &Path, workdir: &Path) {
        let path = by_words(&workdir.join(given));
        let below = path.ancestors().take_while(|above| *above != workdir);
        for (link, inside) in below.filter_map(|link| Some((link, link.strip_prefix(workdir).ok()?))) {
            self.add_link(link, inside, &[workdir.to_owned()]);
        }
    }

    /// Adds the target of a link within these canonical roots, if it is a link and programs obey
    /// its path; `inside` is that path within its root.
    pub fn add_link(&mut self, link: &Path, inside: &Path, roots: &[PathBuf]) {
        if (find_obeyed(inside).is_some() || leads_to_guarded(inside)) && link.is_symlink() {
            self.links.follow(link, inside, &self.roots(roots));
        }
    }

    fn look_at_links(&mut self, top: &Path) {
        let roots = self.roots(&[top.to_owned()]);
        self.links.look_into(top, Path::new(""), &roots);
    }

    fn roots(&self, more: &[PathBuf]) -> Vec<PathBuf> {
        self.tops.iter().chain(more).cloned().collect()
    }

    /// Adds the places named by the repositories that contain `path`, or are `path`, and the
    /// targets of links at their tops.
    pub fn add_around(&mut self, path: &Path) {
        for folder in path.ancestors() {
            // The folders above were handled together with it.
            if !self.around.insert(folder.to_owned()) {
                break;
            }
            let entry = folder.join(".git");
            if entry.symlink_metadata().is_ok() {
                self.add_repository(&entry);
                self.look_at_links(folder);
            }
            let has = |name: &str| folder.join(name).symlink_metadata().is_ok();
            if is_repository(has) {
                self.add_repository(folder);
            }
        }
    }

    /// Adds the places that a repository names: `entry` is its folder, or the `.git` of a work tree
    /// whose repository lies elsewhere.
    pub fn add_repository(&mut self, entry: &Path) {
        let Ok(metadata) = entry.metadata() else { return };
        if self.repositories.len() >= MAX_REPOSITORIES || !self.repositories.insert(entry.to_owned()) {
            return;
        }
        let is_tree = entry.file_name() == Some(OsStr::new(".git"));
        let Some(above) = entry.parent() else { return };
        if self.read_repository(entry, metadata.is_dir(), above).is_err() {
            // An unreadable configuration may name anything.
            self.add(if is_tree { above } else { entry }.to_owned(), true);
        }
    }

    fn read_repository(&mut self, entry: &Path, is_folder: bool, above: &Path) -> Result<(), Unreadable> {
        let is_tree = entry.file_name() == Some(OsStr::new(".git"));
        let folder = if is_folder { Some(entry.to_owned()) } else { pointed(entry, "gitdir:")? };
        let Some(folder) = folder else { return Ok(()) };
        let common = pointed(&folder.join("commondir"), "")?.unwrap_or_else(|| folder.clone());
        let mut reading = Reading {
            bases: vec![folder.clone()],
            waiting: vec![folder.join("config.worktree"), common.join("config")],
            read: BTreeSet::new(),
            settings: Vec::new(),
        };
        if is_tree {
            reading.bases.push(above.to_owned());
        }
        let is_read = reading.run(&folder, &mut |place, is_folder| self.add(place, is_folder));
        // Relative words are relative to the work tree, and for some hooks to the repository.
        let trees: Vec<PathBuf> = reading.bases.iter().map(|base| canonical(base)).collect();
        self.trees.extend(trees);
        let roots = self.roots(&reading.bases);
        for setting in &reading.settings {
            self.add_named(setting, &reading.bases, &roots);
        }
        self.add_kept_links(&common, above, roots);
        is_read
    }

    /// Adds the targets of links in a repository's folder. They are looked up in the table as if in
    /// `.git`, whatever the folder's name.
    fn add_kept_links(&mut self, common: &Path, above: &Path, mut roots: Vec<PathBuf>) {
        roots.extend([above, common.parent().unwrap_or(common)].map(canonical));
        let inside = Path::new(".git");
        for name in LINKABLE {
            let link = common.join(name);
            if link.is_symlink() {
                self.links.follow(&link, &inside.join(name), &roots);
            }
        }
        let hooks = common.join("hooks");
        if !hooks.is_symlink() {
            self.links.look_into(&hooks, &inside.join("hooks"), &roots);
        }
    }

    /// Whether `path` is one of the places, or lies in one that is a folder. As in the table, case
    /// is ignored.
    pub fn names(&self, path: &Path) -> bool {
        let is_linked = self.linked_as(path).is_some_and(|row| row.class != ObeyedClass::Reported);
        is_linked || self.is_place(path)
    }

    /// The row of the table for `path` because a link with an obeyed name leads to it; `None` if
    /// there is none.
    pub fn linked_as(&self, path: &Path) -> Option<&'static ObeyedFile> {
        self.links.row(path, &self.tops)
    }

    /// The targets of links with obeyed names, including intermediate links.
    pub fn linked_places(&self) -> impl Iterator<Item = &Path> {
        self.links.places()
    }

    /// As [`names`](Self::names), without link targets.
    pub(super) fn is_place(&self, path: &Path) -> bool {
        self.places.iter().any(|(place, is_folder)| {
            let is_long = || path.components().count() == place.components().count();
            starts_with(path, place) && (*is_folder || is_long())
        })
    }

    /// Whether `path` is a folder on the way to one of the places within a work tree: a folder
    /// moved there may contain them.
    pub fn leads_to(&self, path: &Path) -> bool {
        let is_above = self.trees.iter().any(|tree| starts_with(tree, path));
        let is_linked = self.links.leads_to(path, &self.tops);
        is_linked || !is_above && self.places.keys().any(|place| starts_with(place, path))
    }

    /// The places, and whether each is a folder that counts with all its content.
    pub fn places(&self) -> impl Iterator<Item = (&Path, bool)> {
        self.places.iter().map(|(place, is_folder)| (place.as_path(), *is_folder))
    }

    fn add_named(&mut self, setting: &Setting, bases: &[PathBuf], roots: &[PathBuf]) {
        let Some(value) = setting.value.as_deref().filter(|value| !value.is_empty()) else { return };
        match meaning(setting) {
            Some(Meaning::Folder) => {
                for folder in bases.iter().filter_map(|base| resolved(base, value)) {
                    self.add_hooks(&folder, bases, roots);
                }
            }
            Some(Meaning::Command) => {
                let command = String::from_utf8_lossy(value);
                for word in words(command.trim_start().trim_start_matches('!')) {
                    for base in bases {
                        // `$(git rev-parse --show-toplevel)/x` ends in an absolute path.
                        let below = word.strip_prefix('/').map(|word| base.join(word));
                        let below = below.filter(|path| path.symlink_metadata().is_ok());
                        let place = resolved(base, word.as_bytes()).filter(|place| may_be_run(&word, place));
                        for place in place.into_iter().chain(below) {
                            self.add(place, false);
                        }
                    }
                }
            }
            None => {}
        }
    }

    /// Adds a folder of hooks. If it contains a work tree it would cover everything: then only
    /// files with names of hooks count.
    fn add_hooks(&mut self, folder: &Path, bases: &[PathBuf], roots: &[PathBuf]) {
        let real = canonical(folder);
        if bases.iter().any(|base| canonical(base).starts_with(&real)) {
            for hook in HOOKS {
                self.add(folder.join(hook), false);
            }
        } else {
            self.add(folder.to_owned(), true);
            self.links.look_into(&real, Path::new(".git/hooks"), roots);
        }
    }

    /// Adds a place, and its target if links lead to it.
    fn add(&mut self, place: PathBuf, is_folder: bool) {
        if self.places.len() >= MAX_PLACES {
            return;
        }
        let real = canonical(&place);
        for place in [real, place] {
            let known = self.places.entry(place).or_default();
            *known |= is_folder;
        }
    }
}

/// Whether git may use a folder with these entries as a repository. `HEAD` may be missing: a work
/// tree uses its own together with the folder named in its `commondir`.
pub fn is_repository(has: impl Fn(&str) -> bool) -> bool {
    has("objects") && has("refs") && (has("HEAD") || has("config"))
}

/// Reading of the files of one configuration.
struct Reading {
    /// The base folders for relative paths of hooks and programs.
    bases: Vec<PathBuf>,
    waiting: Vec<PathBuf>,
    read: BTreeSet<PathBuf>,
    settings: Vec<Setting>,
}

impl Reading {
    /// Reads the files and all included ones, regardless of conditions of the includes.
    ///
    /// # Errors
    /// When an existing file could not be read; the others were.
    fn run(&mut self, repository: &Path, tell: &mut impl FnMut(PathBuf, bool)) -> Result<(), Unreadable> {
        let mut all = Ok(());
        while let Some(file) = self.waiting.pop() {
            if self.read.len() >= MAX_FILES || !self.read.insert(file.clone()) {
                continue;
            }
            let text = match read(&file) {
                Ok(Some(text)) => text,
                Ok(None) => continue,
                Err(unreadable) => {
                    all = Err(unreadable);
                    continue;
                }
            };
            for setting in settings(&text) {
                let value = setting.value.as_deref().unwrap_or_default();
                let is_include = matches!(setting.section.as_str(), "include" | "includeif") && setting.key == "path";
                if let Some(included) = file.parent().filter(|_| is_include).and_then(|base| resolved(base, value)) {
                    tell(included.clone(), false);
                    self.waiting.push(included);
                }
                if setting.section == "core" && setting.key == "worktree" {
                    self.bases.extend(resolved(repository, value));
                }
                self.settings.push(setting);
            }
        }
        all
    }
}

/// Meaning of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// A folder whose files git runs or copies to where it runs them.
    Folder,
    /// A command that git runs.
    Command,
}

fn meaning(setting: &Setting) -> Option<Meaning> {
    let is_command = match (setting.section.as_str(), setting.key.as_str()) {
        ("core", "hookspath") | ("init", "templatedir") => return Some(Meaning::Folder),
        ("core", key) => matches!(
            key,
            "fsmonitor" | "sshcommand" | "editor" | "pager" | "askpass" | "gitproxy" | "alternaterefscommand"
        ),
        ("filter", key) => matches!(key, "clean" | "smudge" | "process"),
        ("diff", key) => matches!(key, "external" | "command" | "textconv"),
        ("merge", key) => key == "driver",
        ("difftool" | "mergetool" | "browser" | "man" | "guitool", key) => matches!(key, "cmd" | "path"),
        ("gpg", key) => matches!(key, "program" | "defaultkeycommand"),
        ("credential", key) => key == "helper",
        ("sequence", key) => key == "editor",
        ("interactive", key) => key == "difffilter",
        ("remote", key) => matches!(key, "uploadpack" | "receivepack"),
        ("uploadpack", key) => key == "packobjectshook",
        ("submodule", key) => key == "update",
        ("trailer", key) => matches!(key, "command" | "cmd"),
        ("sendemail", key) => matches!(key, "smtpserver" | "sendmailcmd" | "tocmd" | "cccmd" | "headercmd"),
        ("imap", key) => key == "tunnel",
        ("hook" | "tar", key) => key == "command",
        ("lfs", key) => matches!(key, "clean" | "smudge" | "path"),
        ("pager", _) => true,
        // Without the `!` it is a git command.
        ("alias", _) => setting.value.as_deref().is_some_and(|value| value.trim_ascii_start().starts_with(b"!")),
        _ => false,
    };
    is_command.then_some(Meaning::Command)
}

/// Whether a word of a command may refer to this file: a folder is not run, and a plain word is a
/// file name only if the file exists.
fn may_be_run(word: &str, place: &Path) -> bool {
    match place.symlink_metadata() {
        Ok(metadata) => !metadata.is_dir(),
        Err(_) => is_path(word),
    }
}

/// A path in a configuration file, joined to its base folder; `None` for one in a home folder.
fn resolved(base: &Path, value: &[u8]) -> Option<PathBuf> {
    let is_elsewhere = value.is_empty() || value.starts_with(b"~") || value.starts_with(b"%(") || value.contains(&0);
    (!is_elsewhere).then(|| by_words(&base.join(OsStr::from_bytes(value))))
}

/// The path after `mark` in a file of one line.
fn pointed(file: &Path, mark: &str) -> Result<Option<PathBuf>, Unreadable> {
    let Some(text) = read(file)? else { return Ok(None) };
    let value = text.trim_ascii().strip_prefix(mark.as_bytes()).map(<[u8]>::trim_ascii_start);
    Ok(value.and_then(|value| resolved(file.parent()?, value)))
}

/// Removes `.` and `..` lexically, as git does when no links are involved.
fn by_words(path: &Path) -> PathBuf {
    let mut words = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(words.pop()),
            other => words.push(other),
        }
    }
    words
}

/// The canonical path; for a missing file, its name in the canonical parent.
pub(super) fn canonical(path: &Path) -> PathBuf {
    let beside = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(beside).unwrap_or_else(|| path.to_owned())
}

/// As [`Path::starts_with`], ignoring case.
pub(super) fn starts_with(path: &Path, folder: &Path) -> bool {
    let mut parts = path.components();
    folder
        .components()
        .all(|own| parts.next().is_some_and(|part| part.as_os_str().eq_ignore_ascii_case(own.as_os_str())))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    /// A repository with these files.
    fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        for folder in [".git/objects", ".git/refs", "tools/githooks"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for (file, text) in [(".git/HEAD", "ref: refs/heads/main\n")].iter().chain(files) {
            fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            fs::write(root.join(file), text).unwrap();
        }
        (place, root)
    }

    fn named(root: &Path, entry: &str) -> Vec<String> {
        let mut found = ConfiguredFiles::default();
        found.add_repository(&root.join(entry));
        let inside = |(place, is_folder): (&Path, bool)| {
            let inside = place.strip_prefix(root).ok()?.to_str()?;
            // Relative words are also looked up in the repository.
            let is_told = !inside.starts_with(".git/") && !inside.is_empty();
            is_told.then(|| format!("{inside}{}", if is_folder { "/**" } else { "" }))
        };
        found.places().filter_map(inside).collect()
    }

    #[test]
    fn hooks_included_files_and_programs_are_named() {
        let config = "[core]\n hooksPath = tools/githooks\n fsmonitor = tools/watch\n editor = vim\n pager = ./p | less\n\
             [include]\n path = ../shared.cfg\n path = ~/x\n[includeIf \"onbranch:x\"]\n path = ../other.cfg\n\
             [filter \"a\"]\n clean = python3 tools/clean.py %f\n smudge = cat\n\
             [alias]\n s = status tools/x\n t = !tools/t\n u = !runs x clean.any tools gone && runs gone.any\n[user]\n name = tools/githooks/n\n";
        let shared = "[include]\n path = sub/more.cfg\n path = shared.cfg\n[gpg \"ssh\"]\n program = /nowhere/x\n";
        let more = "[credential \"https://x\"]\n helper = !sh ../cred.sh\n";
        let (_place, root) =
            tree(&[(".git/config", config), ("shared.cfg", shared), ("sub/more.cfg", more), ("x", "")]);
        // Plain words must be existing files; names with an extension must only not be folders.
        let expected = [
            "clean.any",
            "cred.sh",
            "gone.any",
            "other.cfg",
            "p",
            "shared.cfg",
            "sub/more.cfg",
            "tools/clean.py",
            "tools/githooks/**",
            "tools/t",
            "tools/watch",
            "x",
        ];
        assert_eq!(named(&root, ".git"), expected);
    }

    #[test]
    fn what_lies_in_a_named_folder_and_on_the_way_to_it_is_told_apart() {
        let (_place, root) = tree(&[(".git/config", "[core]\nhookspath=tools/githooks\n[include]\npath=../a.cfg\n")]);
        let found = ConfiguredFiles::around([root.join("tools/new/x").as_path()]);
        let check = |path: &str, names: bool, leads: bool| {
            let path = root.join(path);
            assert_eq!((found.names(&path), found.leads_to(&path)), (names, leads), "{}", path.display());
        };
        check("tools/githooks/post-commit", true, false);
        check("Tools/GitHooks", true, true);
        check("tools", false, true);
        check("", false, false);
        check("a.cfg", true, true);
        check("a.cfg/b", false, false);
        check("src", false, false);
    }

    #[test]
    fn work_trees_and_submodules_lead_to_their_repository() {
        let module = "[core]\n worktree = ../../../lib\n hooksPath = h\n";
        let (_place, root) = tree(&[
            (".git/config", "[core]\n hooksPath = hooks.d\n"),
            (".git/worktrees/w/commondir", "../..\n"),
            (".git/worktrees/w/config.worktree", "[core]\n pager = ./page\n"),
            ("w/.git", "gitdir: ../.git/worktrees/w\n"),
            (".git/modules/lib/config", module),
            ("lib/.git", "gitdir: ../.git/modules/lib\n"),
        ]);
        assert_eq!(named(&root, "w/.git"), ["w/hooks.d/**", "w/page"]);
        for entry in ["lib/.git", ".git/modules/lib"] {
            assert_eq!(named(&root, entry), ["lib/h/**"], "{entry}");
        }
    }

    #[test]
    fn a_folder_that_holds_the_work_tree_is_not_named_as_a_whole() {
        let (_place, root) = tree(&[("sub/.git/config", "[core]\nhooksPath = ..\n")]);
        let found = ConfiguredFiles::around([root.join("sub").as_path()]);
        assert!(found.names(&root.join("post-commit")) && !found.names(&root.join("src")) && !found.names(&root));
    }

    #[test]
    fn links_count_where_they_lie_and_where_they_lead() {
        let (_place, root) = tree(&[(".git/config", "[include]\npath = ../link\n"), ("real", "[core]\npager = ./x\n")]);
        std::os::unix::fs::symlink("real", root.join("link")).unwrap();
        assert_eq!(named(&root, ".git"), ["link", "real", "x"]);
    }

    #[test]
    fn nothing_that_lies_there_makes_it_wait_or_go_on_for_ever() {
        let many: Vec<String> = (0..500).map(|number| format!("[include]\npath = ../{number}\n")).collect();
        let many = many.concat();
        let (_place, root) = tree(&[(".git/config", &format!("{many}[include]\npath = config\npath = ../fifo\n"))]);
        mknodat(CWD, root.join("fifo"), FileType::Fifo, Mode::RUSR, 0).unwrap();
        assert!(named(&root, ".git").len() > 400);
        fs::remove_file(root.join(".git/config")).unwrap();
        mknodat(CWD, root.join(".git/config"), FileType::Fifo, Mode::RUSR, 0).unwrap();
        assert_eq!(named(&root, ".git"), [""; 0]);
    }
}
