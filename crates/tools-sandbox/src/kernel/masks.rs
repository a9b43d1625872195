//! Finding what a child must not read or change: a bounded walk of the writable folders for what the read rules deny and
//! for what other programs obey. Holding it is the sandbox's part.

use std::{
    collections::HashMap,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use tools_core::{Clock, SystemClock};

use super::obeyed::{Held, Kind, ObeyedEntry, ObeyedIn, obeyed_in};

/// Entries of the writable folders looked at for files to hide.
const MOST_ENTRIES: usize = 200_000;

/// Folders that are large and seldom hold secrets: looked at last, with what is left of the budget.
pub(super) const LARGE: [&str; 3] = ["node_modules", "target", "objects"];

/// A folder that changed less than this before it was read may change again without its time telling.
const TICK: i128 = 50_000_000;

/// What a walk found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Masks {
    /// Denied paths that exist; nothing below a denied folder is listed again.
    pub paths: Vec<PathBuf>,
    /// What programs outside obey.
    pub obeyed: ObeyedFiles,
    /// Set when the budget ended the walk before the tree did.
    pub incomplete: bool,
}

/// What lies in the writable folders that programs outside obey.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObeyedFiles {
    /// Files, and the folders that are held as a whole.
    pub entries: Vec<ObeyedEntry>,
    /// The folders in which git keeps repositories.
    pub repositories: Vec<PathBuf>,
    /// Where git would look for hooks and nothing is.
    pub missing_hooks: Vec<PathBuf>,
}

impl ObeyedFiles {
    /// What a child finds read-only unless somebody agreed to its being changed, outermost first.
    pub fn held(&self) -> Vec<Held> {
        let missing = self.missing_hooks.iter().map(|hooks| Held { path: hooks.clone(), pinned: 1 });
        let mut held: Vec<Held> = self.entries.iter().filter_map(|entry| entry.held.clone()).chain(missing).collect();
        held.sort_by_key(|held| (held.path.components().count(), held.path.clone()));
        held
    }

    fn add(&mut self, folder: &Path, found: &ObeyedIn) {
        self.entries.extend(found.entries.iter().cloned());
        if found.is_repository {
            self.repositories.push(folder.to_owned());
            if !found.has_hooks {
                self.missing_hooks.push(folder.join("hooks"));
            }
        }
    }
}

/// Which files no child may read, and which it may not change: the file tools' read rules and the table of what other
/// programs obey, brought to the kernel. Clones share what they know of the folders, so that a walk reads only those that
/// changed since the last one.
#[derive(Clone)]
pub struct Hidden {
    denies: Arc<dyn Fn(&Path) -> bool + Send + Sync>,
    places: Vec<PathBuf>,
    known: Arc<Mutex<HashMap<PathBuf, Folder>>>,
}

/// A folder as it was read.
struct Folder {
    /// When its entries last changed, in nanoseconds. The time of change, which unlike that of modification no program
    /// can set back.
    changed: i128,
    entries: usize,
    denied: Vec<PathBuf>,
    obeyed: ObeyedIn,
    folders: Vec<PathBuf>,
}

impl std::fmt::Debug for Hidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hidden").field("places", &self.places).finish_non_exhaustive()
    }
}

impl Hidden {
    /// What `denies` refuses, looked for in the writable folders, and `places` outside them, such as `~/.ssh`.
    pub fn new(denies: impl Fn(&Path) -> bool + Send + Sync + 'static, places: Vec<PathBuf>) -> Self {
        Self { denies: Arc::new(denies), places, known: Arc::default() }
    }

    /// Nothing is denied: what other programs obey is found all the same.
    pub fn nothing() -> Self {
        Self::new(|_| false, Vec::new())
    }

    /// Forgets what is known of the folders: what is denied is told by other rules from now on.
    pub fn forget(&self) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Whether the canonical `path` may not be read.
    pub fn denies(&self, path: &Path) -> bool {
        (self.denies)(path)
    }

    /// What has to be hidden from a child that may write `roots`, and what other programs obey, as it lies there now. The
    /// roots are canonical.
    pub fn masks(&self, roots: &[PathBuf]) -> Masks {
        let mut masks = self.walk(roots, MOST_ENTRIES, Depth::All);
        masks.paths.extend(self.places.iter().filter(|place| !is_git_config(place)).cloned());
        masks
    }

    /// What other programs obey in `roots` now, without looking for anything else.
    pub fn obeyed(&self, roots: &[PathBuf]) -> ObeyedFiles {
        self.walk(roots, MOST_ENTRIES, Depth::WithoutLarge).obeyed
    }

    /// Walks `roots` and lists what is denied, looking at no more than `budget` entries. Links are not followed: what
    /// they lead to is denied, or not, where it lies. A root and the hidden folders right below it, where most of what
    /// other programs obey lies, are looked at whatever the budget is.
    fn walk(&self, roots: &[PathBuf], budget: usize, depth: Depth) -> Masks {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut masks, mut left) = (Masks::default(), budget);
        let (mut first, mut open, mut large) = (roots.to_vec(), Vec::new(), Vec::new());
        while let Some((path, is_first)) = first
            .pop()
            .map(|path| (path, true))
            .or_else(|| open.pop().or_else(|| large.pop()).map(|path| (path, false)))
        {
            let Some(changed) = changed(&path) else {
                known.remove(&path);
                continue;
            };
            if known.get(&path).is_none_or(|folder| folder.changed != changed) {
                known.insert(path.clone(), self.read(&path, roots, changed));
            }
            let Some(folder) = known.get(&path) else { continue };
            if folder.entries > left {
                masks.incomplete = true;
                if !is_first {
                    return masks;
                }
            }
            left = left.saturating_sub(folder.entries);
            masks.paths.extend(folder.denied.iter().cloned());
            masks.obeyed.add(&path, &folder.obeyed);
            let is_root = roots.contains(&path);
            for below in &folder.folders {
                let place = match below {
                    _ if LARGE.iter().any(|name| below.ends_with(name)) => &mut large,
                    _ if is_root && is_hidden(below) => &mut first,
                    _ => &mut open,
                };
                place.push(below.clone());
            }
            if depth == Depth::WithoutLarge {
                large.clear();
            }
        }
        masks
    }

    fn read(&self, path: &Path, roots: &[PathBuf], changed: i128) -> Folder {
        // Taken before reading: what is added meanwhile changes the folder later than this.
        let is_settled = changed + TICK < SystemClock.now().as_nanosecond();
        let (mut denied, mut folders, mut names) = (vec![], vec![], vec![]);
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            let path = entry.path();
            let kind = match entry.file_type() {
                Ok(kind) if kind.is_dir() => Kind::Folder,
                Ok(kind) if kind.is_symlink() => Kind::Link,
                _ => Kind::File,
            };
            names.push((entry.file_name(), kind));
            if !is_git_config(&path) && (self.denies)(&path) {
                denied.push(path);
            } else if kind == Kind::Folder {
                folders.push(path);
            }
        }
        let root = roots.iter().filter(|root| path.starts_with(root)).min_by_key(|root| root.as_os_str().len());
        let obeyed = obeyed_in(path, root.map_or(path, PathBuf::as_path), &names);
        Folder { changed: if is_settled { changed } else { 0 }, entries: names.len(), denied, obeyed, folders }
    }
}

/// How far a walk goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    All,
    /// Not into folders that are large and hold nothing that other programs obey.
    WithoutLarge,
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// When the entries of a folder last changed; `None` when there is no such folder.
fn changed(folder: &Path) -> Option<i128> {
    let metadata = std::fs::metadata(folder).ok().filter(std::fs::Metadata::is_dir)?;
    Some(i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec()))
}

/// `git` cannot work without its configuration: children may read it though the file tools may not.
fn is_git_config(path: &Path) -> bool {
    path.ends_with(".git/config")
}

/// Whether a path is one of these or lies below one.
pub(crate) fn below_any(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| path.starts_with(folder))
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

    fn found(hidden: &Hidden, root: &Path) -> Vec<String> {
        let masks = hidden.walk(&[root.to_owned()], 100, Depth::All);
        assert!(!masks.incomplete);
        let below = |path: &PathBuf| path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
        let mut found: Vec<String> = masks.paths.iter().map(below).collect();
        found.sort();
        found
    }

    #[test]
    fn denied_files_and_whole_folders_are_found() {
        let root = tree();
        let hidden = Hidden::new(is_denied, vec![]);
        assert_eq!(found(&hidden, root.path()), [".env", "node_modules/.env", "secrets", "sub/.env"]);
    }

    #[test]
    fn what_comes_and_goes_between_two_walks_is_seen() {
        let root = tree();
        let hidden = Hidden::new(is_denied, vec![]);
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
        let hidden = Hidden::new(|path| path.ends_with("config"), vec!["/home/me/.ssh".into()]);
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
            let masks = Hidden::new(is_denied, vec![]).walk(&[root.path().to_owned()], budget, depth);
            let names = |held: Held| held.path.strip_prefix(root.path()).unwrap().to_string_lossy().into_owned();
            (masks.incomplete, masks.obeyed.held().into_iter().map(names).collect::<Vec<_>>())
        };
        let top = [".envrc", ".git/config", ".git/hooks", ".github/workflows"].map(str::to_owned);
        assert_eq!(found(2, Depth::All), (true, top.to_vec()));
        let (is_cut, mut all) = found(1000, Depth::WithoutLarge);
        all.retain(|path| !top.contains(path));
        assert_eq!((is_cut, all), (false, vec!["sub/.envrc".to_owned()]));
    }
}
