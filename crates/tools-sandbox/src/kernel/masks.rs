//! Finds the files that a child must not read or change: a bounded walk of the writable folders for
//! files that the read rules deny and files that other programs obey. Folders beyond the bound must
//! not be read either. The sandbox enforces the result.

use std::{
    collections::{BTreeMap, HashMap, HashSet, VecDeque},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use tools_core::{Clock, ConfiguredFiles, ObeyedClass, SystemClock};

use crate::below::{below_any, holds_any, is_below};
use crate::{ReadRules, closed_places, home};

use super::configured::{configured, entries};
use super::obeyed::{Kind, ObeyedEntries, ObeyedEntry, ReadOnlyPath, is_large, is_skipped, obeyed_in};
use super::placeholders::is_placeholder;

/// Maximum number of entries that one walk reads anew. Unchanged folders do not count, so that new
/// folders cannot use up the budget of known ones.
const MAX_ENTRIES: usize = 1_000_000;

/// Maximum number of entries read in a walk of visible read-only places: usually a large folder
/// that a person granted, such as a whole home. Takes at most a second; deeper folders stay closed.
const MAX_READ_ONLY_ENTRIES: usize = 100_000;

/// Maximum number of folders closed one by one; beyond it, folders that contain several of them are
/// closed.
const MAX_UNEXAMINED: usize = 256;

/// Age in nanoseconds below which a changed folder may change again without a new time.
const TICK: i128 = 50_000_000;

/// Result of a walk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Masks {
    /// Existing denied paths, including [`unexamined`](Self::unexamined); nothing below a denied
    /// folder is listed.
    pub paths: Vec<PathBuf>,
    /// Folders that the walk did not read because the budget was spent or they were unreadable.
    pub unexamined: Vec<PathBuf>,
    /// Files that outside programs obey.
    pub obeyed: ObeyedFiles,
    /// Set if not even all folders of a root could be examined: only the root itself could be
    /// closed.
    pub incomplete: bool,
}

/// Files in the writable folders that outside programs obey.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObeyedFiles {
    /// Files, and folders that are held as a whole.
    pub entries: Vec<ObeyedEntry>,
    /// The folders in which git keeps repositories.
    pub repositories: Vec<PathBuf>,
    /// Places where git would look for hooks and nothing exists.
    pub missing_hooks: Vec<PathBuf>,
    /// Files that the configuration of repositories names, whether they exist or not.
    pub configured: ConfiguredFiles,
}

impl ObeyedFiles {
    /// Paths that are read-only for a child unless a change was agreed to, outermost first.
    pub fn held(&self) -> Vec<ReadOnlyPath> {
        let missing = self.missing_hooks.iter().map(|hooks| ReadOnlyPath { path: hooks.clone(), pinned: 1 });
        let mut held: Vec<ReadOnlyPath> =
            self.entries.iter().filter_map(|entry| entry.held.clone()).chain(missing).collect();
        held.sort_by_key(|held| (held.path.components().count(), held.path.clone()));
        held
    }

    /// Adds the files that the configuration of the repositories names now. If the table has the
    /// file too, its row determines the class, except a row for ordinary build inputs.
    fn with_configured(mut self, roots: &[PathBuf]) -> Self {
        let links = self.entries.iter().filter(|entry| !entry.is_folder && entry.path.ends_with(".git"));
        let repositories = self.repositories.iter().chain(links.map(|entry| &entry.path));
        let linked = self.entries.iter().filter(|entry| entry.is_link).map(|entry| entry.path.as_path());
        self.configured = configured(roots, repositories.map(PathBuf::as_path), linked);
        let mut named: BTreeMap<PathBuf, ObeyedEntry> =
            entries(roots, &self.configured).into_iter().map(|entry| (entry.path.clone(), entry)).collect();
        if named.is_empty() {
            return self;
        }
        let mut outer: HashSet<PathBuf> = HashSet::new();
        self.entries.retain(|entry| {
            if entry.class == ObeyedClass::Reported {
                return !named.contains_key(&entry.path);
            }
            named.remove(&entry.path);
            if entry.is_folder {
                outer.insert(entry.path.clone());
            }
            true
        });
        // A held folder also holds its content.
        let folders = named.values().filter(|entry| entry.is_folder && entry.held.is_some());
        outer.extend(folders.map(|entry| entry.path.clone()));
        self.entries.extend(named.into_values().map(|entry| {
            let is_within = entry.path.ancestors().skip(1).any(|folder| outer.contains(folder));
            ObeyedEntry { held: entry.held.filter(|_| !is_within), ..entry }
        }));
        self
    }

    fn add(&mut self, folder: &Path, found: &ObeyedEntries) {
        // The placeholder for hooks while commands run does not count as hooks.
        let hooks = found.is_repository.then(|| folder.join("hooks"));
        let hooks = hooks.filter(|hooks| !found.has_hooks || is_placeholder(hooks));
        self.entries.extend(found.entries.iter().filter(|entry| Some(&entry.path) != hooks.as_ref()).cloned());
        if found.is_repository {
            self.repositories.push(folder.to_owned());
            self.missing_hooks.extend(hooks);
        }
    }
}

/// Finds files that a child may not read, and files that it may not change: applies the file tools'
/// read rules and the table of obeyed files at kernel level. Clones share their knowledge of the
/// folders, so that a walk reads only those that changed since the last one.
#[derive(Clone)]
pub struct MaskRules {
    rules: ReadRules,
    others: Arc<dyn Fn(&Path) -> bool + Send + Sync>,
    places: Vec<PathBuf>,
    known: Arc<Mutex<HashMap<PathBuf, Folder>>>,
}

/// A folder as it was last read.
struct Folder {
    /// Time of the last change of its entries in nanoseconds: the change time, which programs
    /// cannot set back, unlike the modification time.
    changed: i128,
    /// Time at which a walk first found this path.
    found: Instant,
    /// Whether it was read completely.
    is_whole: bool,
    entries: usize,
    denied: Vec<PathBuf>,
    obeyed: ObeyedEntries,
    folders: Vec<PathBuf>,
}

impl std::fmt::Debug for MaskRules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MaskRules").field("places", &self.places).finish_non_exhaustive()
    }
}

impl MaskRules {
    /// Rules that hide the paths for which `denies` returns true, searched in the writable folders
    /// and in `places` outside them, such as `~/.ssh`.
    pub fn new(denies: impl Fn(&Path) -> bool + Send + Sync + 'static, places: Vec<PathBuf>) -> Self {
        Self { rules: ReadRules::unrestricted(), others: Arc::new(denies), places, known: Arc::default() }
    }

    /// Also hides paths that `rules` deny.
    pub fn with_rules(self, rules: ReadRules) -> Self {
        Self { rules, ..self }
    }

    /// The rules for the preset of the read rules, in the workspace and in the homes of the user.
    pub fn preset() -> Self {
        let rules = ReadRules::preset(home().as_deref());
        Self::new(|_| false, closed_places(None, &rules)).with_rules(rules)
    }

    /// Denies nothing; files that other programs obey are still found.
    pub fn nothing() -> Self {
        Self::new(|_| false, Vec::new())
    }

    /// Clears the knowledge of the folders; needed after the rules have changed.
    pub fn forget(&self) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Time at which a walk first found this folder, if it existed at each walk since; otherwise
    /// `None`.
    pub(crate) fn found(&self, folder: &Path) -> Option<Instant> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).get(folder).map(|folder| folder.found)
    }

    /// Whether the canonical `path` may not be read.
    pub fn denies(&self, path: &Path) -> bool {
        self.rules.denies(path) || (self.others)(path)
    }

    /// The masks for a child that may write `roots`, and the obeyed files that exist there now. The
    /// roots are canonical.
    pub fn masks(&self, roots: &[PathBuf]) -> Masks {
        let mut masks = self.walk(roots, &[], MAX_ENTRIES, Depth::All);
        masks.paths.extend(self.places.iter().filter(|place| !is_git_config(place)).cloned());
        Masks { obeyed: masks.obeyed.with_configured(roots), ..masks }
    }

    /// The masks for `places` that a child sees but may not write, the nearest first. Nothing below
    /// unexamined folders is readable. The `writable` folders inside them are searched as in
    /// [`masks`](Self::masks): large surroundings close none of them.
    pub fn masks_read_only(&self, places: &[PathBuf], writable: &[PathBuf]) -> Vec<PathBuf> {
        self.walk(places, writable, MAX_READ_ONLY_ENTRIES, Depth::All).paths
    }

    /// Walks `roots` again, without the content of folders of installed or built files.
    pub(crate) fn again(&self, roots: &[PathBuf]) -> Masks {
        let masks = self.walk(roots, &[], MAX_ENTRIES, Depth::WithoutLarge);
        Masks { obeyed: masks.obeyed.with_configured(roots), ..masks }
    }

    /// Walks `roots`, nearest folders first, and lists denied paths, reading at most `budget`
    /// entries of new or changed folders. Links are not followed: their targets are judged at their
    /// own places. A root and the hidden folders directly below it, which contain most obeyed
    /// files, are always read. The folders of `apart`, and those on the way to them, have a
    /// separate budget.
    fn walk(&self, roots: &[PathBuf], apart: &[PathBuf], budget: usize, depth: Depth) -> Masks {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut masks, mut left_here, mut left_apart) = (Masks::default(), budget, MAX_ENTRIES);
        let mut first: VecDeque<PathBuf> = roots.iter().cloned().collect();
        let (mut open, mut large) = (VecDeque::new(), VecDeque::new());
        loop {
            let next = match first.pop_front() {
                Some(path) => Some((path, true)),
                None => open.pop_front().or_else(|| large.pop_front()).map(|path| (path, false)),
            };
            let Some((path, is_first)) = next else { break };
            let Some(changed) = changed(&path) else {
                known.remove(&path);
                continue;
            };
            if known.get(&path).is_none_or(|folder| folder.changed != changed) {
                let is_apart = below_any(&path, apart) || holds_any(&path, apart);
                let left = if is_apart { &mut left_apart } else { &mut left_here };
                if *left == 0 && !is_first {
                    masks.unexamined.push(path);
                    continue;
                }
                let read = self.read(&path, roots, changed, if is_first { usize::MAX } else { *left });
                *left = left.saturating_sub(read.entries);
                let found = known.get(&path).map_or(read.found, |folder| folder.found);
                known.insert(path.clone(), Folder { found, ..read });
            }
            let Some(folder) = known.get(&path) else { continue };
            if !folder.is_whole {
                masks.unexamined.push(path);
                continue;
            }
            masks.paths.extend(folder.denied.iter().cloned());
            masks.obeyed.add(&path, &folder.obeyed);
            let is_root = roots.contains(&path);
            let is_repository = folder.obeyed.is_repository;
            let inside = roots.iter().find_map(|root| path.strip_prefix(root).ok()).unwrap_or(&path);
            for below in &folder.folders {
                let name = below.file_name().unwrap_or_default();
                if depth == Depth::WithoutLarge && is_skipped(inside, is_repository, name) {
                    continue;
                }
                let place = match below {
                    _ if is_large(is_repository, name) => &mut large,
                    _ if is_root && is_hidden(below) => &mut first,
                    _ => &mut open,
                };
                place.push_back(below.clone());
            }
        }
        masks.unexamined = gathered(masks.unexamined, MAX_UNEXAMINED, apart);
        masks.incomplete = masks.unexamined.iter().any(|folder| roots.contains(folder));
        masks.paths.extend(masks.unexamined.iter().cloned());
        masks
    }

    /// Reads a folder, stopping after `most` entries.
    fn read(&self, path: &Path, roots: &[PathBuf], changed: i128, most: usize) -> Folder {
        let found = Instant::now();
        // Taken before reading: entries added meanwhile change the folder later than this.
        let is_settled = changed + TICK < SystemClock.now().as_nanosecond();
        let (mut denied, mut folders, mut names) = (vec![], vec![], vec![]);
        // Once per folder: each entry is then judged by its own name.
        let scope = self.rules.scope(path);
        let entries = std::fs::read_dir(path);
        let mut is_whole = entries.is_ok();
        for entry in entries.into_iter().flatten() {
            let Ok(entry) = entry else {
                is_whole = false;
                break;
            };
            if names.len() == most {
                is_whole = false;
                break;
            }
            let path = entry.path();
            let kind = match entry.file_type() {
                Ok(kind) if kind.is_dir() => Kind::Folder,
                Ok(kind) if kind.is_symlink() => Kind::Link,
                _ => Kind::File,
            };
            names.push((entry.file_name(), kind));
            let is_denied = || self.rules.below(scope, &path).is_closed() || (self.others)(&path);
            if !is_git_config(&path) && is_denied() {
                denied.push(path);
            } else if kind == Kind::Folder {
                folders.push(path);
            }
        }
        let root = roots.iter().filter(|root| is_below(path, root)).min_by_key(|root| root.as_os_str().len());
        let obeyed = obeyed_in(path, root.map_or(path, PathBuf::as_path), &names);
        // A folder that was not read completely is read again next time.
        let changed = if is_settled && is_whole { changed } else { 0 };
        Folder { changed, found, is_whole, entries: names.len(), denied, obeyed, folders }
    }
}

/// At most `most` folders that contain all given ones: the deepest are replaced by their parents,
/// unless a parent contains a folder of `apart`, which would be closed with it. Only such folders
/// may exceed the limit.
fn gathered(mut folders: Vec<PathBuf>, most: usize, apart: &[PathBuf]) -> Vec<PathBuf> {
    let is_movable = |folder: &Path| folder.parent().is_some_and(|above| !holds_any(above, apart));
    let depth = |folder: &PathBuf| folder.components().count();
    while folders.len() > most {
        let Some(deepest) = folders.iter().filter(|folder| is_movable(folder)).map(depth).max() else { break };
        for folder in folders.iter_mut().filter(|folder| depth(folder) == deepest && is_movable(folder)) {
            folder.pop();
        }
        folders.sort();
        // Folders below a folder in the list follow it directly.
        folders.dedup_by(|next, kept| next.starts_with(&*kept));
    }
    folders
}

/// Extent of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    All,
    /// Skips large folders without obeyed files: of installed or built files only the top is read.
    WithoutLarge,
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// Time of the last change of a folder's entries; `None` if there is no such folder.
fn changed(folder: &Path) -> Option<i128> {
    let metadata = std::fs::metadata(folder).ok().filter(std::fs::Metadata::is_dir)?;
    Some(i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec()))
}

/// Git cannot work without its configuration: children may read it though the file tools may not.
fn is_git_config(path: &Path) -> bool {
    path.ends_with(".git/config")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for file in [".env", "sub/.env", "secrets/key", "src/main.rs", "node_modules/.env"] {
            let path = root.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        root
    }

    fn is_denied(path: &Path) -> bool {
        path.ends_with(".env") || path.ends_with("secrets")
    }

    fn found(hidden: &MaskRules, root: &Path) -> Vec<String> {
        let masks = hidden.walk(&[root.to_owned()], &[], 100, Depth::All);
        assert!(!masks.incomplete && masks.unexamined.is_empty());
        let below = |path: &PathBuf| path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
        let mut found: Vec<String> = masks.paths.iter().map(below).collect();
        found.sort();
        found
    }

    #[test]
    fn denied_files_and_whole_folders_are_found() {
        let root = tree();
        let hidden = MaskRules::new(is_denied, vec![]);
        assert_eq!(found(&hidden, root.path()), [".env", "node_modules/.env", "secrets", "sub/.env"]);
    }

    #[test]
    fn rules_hold_in_a_walk_as_for_each_path() {
        let root = tree();
        let path = root.path().canonicalize().unwrap();
        for (deny, allow) in
            [(vec!["secrets", "sub/*"], vec![]), (vec![], vec!["src/**", "src", "s*"]), (vec![], vec!["**"])]
        {
            let (deny, allow): (Vec<String>, Vec<String>) =
                (deny.into_iter().map(str::to_owned).collect(), allow.into_iter().map(str::to_owned).collect());
            let rules = ReadRules::compile(Some(&deny), &allow, &path, None).unwrap();
            let hidden = MaskRules::new(|path| path.ends_with("main.rs"), vec![]).with_rules(rules.clone());
            let masks = hidden.masks_read_only(std::slice::from_ref(&path), &[]);
            for file in [".env", "sub", "sub/.env", "secrets", "secrets/key", "src", "src/main.rs", "node_modules/.env"]
            {
                let file = path.join(file);
                let is_masked = masks.iter().any(|mask| file.starts_with(mask));
                let is_denied = rules.denies(&file) || file.ends_with("main.rs");
                assert!(!is_denied || is_masked, "{deny:?} {allow:?} {}", file.display());
                assert_eq!(hidden.denies(&file), is_denied);
            }
            assert!(masks.iter().all(|mask| hidden.denies(mask)), "{masks:?}");
        }
    }

    #[test]
    fn what_comes_and_goes_between_two_walks_is_seen() {
        let root = tree();
        let hidden = MaskRules::new(is_denied, vec![]);
        found(&hidden, root.path());
        std::fs::write(root.path().join("src/.env"), "").unwrap();
        assert_eq!(found(&hidden, root.path()), [".env", "node_modules/.env", "secrets", "src/.env", "sub/.env"]);
        std::fs::remove_dir_all(root.path().join("sub")).unwrap();
        assert_eq!(found(&hidden, root.path()), [".env", "node_modules/.env", "secrets", "src/.env"]);
        std::fs::rename(root.path().join("src"), root.path().join("moved")).unwrap();
        assert_eq!(found(&hidden, root.path()), [".env", "moved/.env", "node_modules/.env", "secrets"]);
    }

    #[test]
    fn a_child_may_read_what_git_needs() {
        let root = tree();
        std::fs::create_dir(root.path().join(".git")).unwrap();
        std::fs::write(root.path().join(".git/config"), "").unwrap();
        let hidden = MaskRules::new(|path| path.ends_with("config"), vec!["/home/me/.ssh".into()]);
        assert_eq!(hidden.masks(&[root.path().to_owned()]).paths, [Path::new("/home/me/.ssh")]);
    }

    #[test]
    fn a_spent_budget_is_reported_and_what_is_obeyed_at_the_top_is_found_all_the_same() {
        let root = tree();
        for file in [".git/config", ".github/workflows/ci.yml", ".envrc", "sub/.envrc"] {
            std::fs::create_dir_all(root.path().join(file).parent().unwrap()).unwrap();
            std::fs::write(root.path().join(file), "").unwrap();
        }
        let found = |budget, depth| {
            let masks = MaskRules::new(is_denied, vec![]).walk(&[root.path().to_owned()], &[], budget, depth);
            let names =
                |held: ReadOnlyPath| held.path.strip_prefix(root.path()).unwrap().to_string_lossy().into_owned();
            (masks.unexamined.is_empty(), masks.obeyed.held().into_iter().map(names).collect::<Vec<_>>())
        };
        let top = [".envrc", ".git/config", ".git/hooks", ".github/workflows"].map(str::to_owned);
        assert_eq!(found(2, Depth::All), (false, top.to_vec()));
        let (is_whole, mut all) = found(1000, Depth::WithoutLarge);
        all.retain(|path| !top.contains(path));
        assert_eq!((is_whole, all), (true, vec!["sub/.envrc".to_owned()]));
    }

    #[test]
    fn what_was_not_examined_is_closed_and_what_is_known_costs_nothing() {
        let root = tree();
        let hidden = MaskRules::new(is_denied, vec![]);
        let walk = |budget| {
            let masks = hidden.walk(&[root.path().to_owned()], &[], budget, Depth::All);
            let below = |path: &PathBuf| path.strip_prefix(root.path()).unwrap().to_string_lossy().into_owned();
            let mut unexamined: Vec<String> = masks.unexamined.iter().map(below).collect();
            unexamined.sort();
            let closed: Vec<PathBuf> = masks.paths;
            let reads = |file: &str| !closed.iter().any(|path| root.path().join(file).starts_with(path));
            (unexamined, reads("sub/.env") || reads(".env") || reads("node_modules/.env"))
        };
        let (unexamined, reads_secret) = walk(5);
        assert_eq!((unexamined.len(), reads_secret), (3, false), "{unexamined:?}");
        std::thread::sleep(std::time::Duration::from_millis(60));
        assert_eq!(walk(1000), (vec![], false));
        assert_eq!(walk(1000), (vec![], false));
        // Now that all is known, new folders spend the budget and the old ones stay examined.
        let new = root.path().join("src/zz");
        std::fs::create_dir(&new).unwrap();
        for number in 0..50 {
            std::fs::write(new.join(number.to_string()), "").unwrap();
        }
        assert_eq!(walk(10), (vec!["src/zz".to_owned()], false));
    }

    #[test]
    fn a_writable_folder_is_not_closed_for_what_lies_around_it() {
        let root = tempfile::tempdir().unwrap();
        for number in 0..20 {
            std::fs::create_dir_all(root.path().join(format!("many/{number}/deep"))).unwrap();
        }
        let work = root.path().join("some/way/work");
        std::fs::create_dir_all(work.join("new/folder")).unwrap();
        std::fs::write(work.join("new/.env"), "").unwrap();
        let hidden = MaskRules::new(is_denied, vec![]);
        let places = [root.path().to_owned()];
        let masks = hidden.walk(&places, std::slice::from_ref(&work), 3, Depth::All);
        let touches = |path: &&PathBuf| path.starts_with(&work) || work.starts_with(path);
        assert_eq!(masks.paths.iter().filter(touches).collect::<Vec<_>>(), [&work.join("new/.env")]);
        assert!(!masks.unexamined.is_empty(), "the others are closed");
    }

    #[test]
    fn folders_are_gathered_under_those_above_them() {
        let folders = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        let many = folders(&["/w/a/x", "/w/a/y", "/w/a/z", "/w/b", "/w/a-b/x"]);
        assert_eq!(gathered(many.clone(), 5, &[]), many);
        assert_eq!(gathered(many.clone(), 3, &[]), folders(&["/w/a", "/w/a-b", "/w/b"]));
        // What holds a folder of its own budget is not closed for the sake of the number.
        let apart = folders(&["/w/a/work"]);
        assert_eq!(gathered(many.clone(), 1, &apart), folders(&["/w/a/x", "/w/a/y", "/w/a/z", "/w/a-b", "/w/b"]));
        assert_eq!(gathered(many, 1, &[]), folders(&["/w"]));
    }
}
