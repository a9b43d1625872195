//! Collecting what is granted in concealed folders: links on the way are kept, what is too wide or
//! denied is left out.

use std::{
    cell::RefCell,
    collections::HashMap,
    path::{Component, Path, PathBuf},
};

use crate::below::{below_any, holds_any, is_below};

use super::value::{ConcealedFolder, GrantedPath, Link};

/// Most places that are granted: each is a mount for each process.
const MAX_GRANTS: usize = 192;
/// Child processes have a folder of their own in its place.
const PRIVATE: &str = "/tmp";
/// Most links followed on the way to one place.
const MAX_HOPS: usize = 16;
/// Folders of a home that hold more than programs, and are never granted as a whole.
const MIXED: [&str; 10] =
    ["", ".config", ".local", ".local/share", ".local/state", ".cache", ".docker", "Documents", "Desktop", "Downloads"];

/// What is granted so far.
pub(super) struct Grants<'a> {
    concealed: &'a [ConcealedFolder],
    homes: &'a [PathBuf],
    writable: &'a [PathBuf],
    denies: &'a dyn Fn(&Path) -> bool,
    pub(super) granted: Vec<GrantedPath>,
    pub(super) links: Vec<Link>,
    /// What was met on the way to other places: most begin with the same folders.
    met: RefCell<HashMap<PathBuf, Option<NameTarget>>>,
}

#[derive(Debug, Clone)]
enum NameTarget {
    Itself,
    Link(PathBuf),
}

/// Who says that something is granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// A person: whatever it is.
    Configuration,
    /// A finding: nothing that holds more than programs.
    Discovery,
}

impl<'a> Grants<'a> {
    pub(super) fn new(
        concealed: &'a [ConcealedFolder],
        homes: &'a [PathBuf],
        writable: &'a [PathBuf],
        denies: &'a dyn Fn(&Path) -> bool,
    ) -> Self {
        Self { concealed, homes, writable, denies, granted: Vec::new(), links: Vec::new(), met: RefCell::default() }
    }

    /// Grants what is at `path`, if it is concealed. `true` when it can be read afterwards, also
    /// because it could before.
    pub(super) fn add(&mut self, path: &Path, why: &str, by: By) -> bool {
        let Some(ResolvedName { real, links }) = self.follow(path) else { return false };
        let is_allowed = by == By::Configuration || !(self.is_too_wide(&real) || (self.denies)(&real));
        if !is_allowed {
            return false;
        }
        if self.is_concealed(&real) && !self.is_seen(&real) {
            if self.granted.len() >= MAX_GRANTS {
                return false;
            }
            self.granted.retain(|inner| !inner.path.starts_with(&real));
            self.granted.push(GrantedPath { path: real.clone(), source: real, why: why.to_owned() });
        }
        self.keep_links(links);
        true
    }

    /// Where `path` leads, when that exists.
    pub(super) fn real(&self, path: &Path) -> Option<PathBuf> {
        self.follow(path).map(|found| found.real)
    }

    /// Where a name that need not exist lies: the folder it is in with links followed, which are
    /// kept. `None` when it lies in no concealed folder, or in one that is seen as it is.
    pub(super) fn place(&mut self, path: &Path) -> Option<PathBuf> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return None };
        let place = match self.follow(parent) {
            Some(ResolvedName { real, links }) => {
                self.keep_links(links);
                real.join(name)
            }
            // The folder is not there either: by its words.
            None => path.to_owned(),
        };
        (self.is_concealed(&place) && !self.is_seen(&place)).then_some(place)
    }

    fn keep_links(&mut self, links: Vec<Link>) {
        for link in links {
            if !self.links.contains(&link) && !self.is_seen(&link.at) {
                self.links.push(link);
            }
        }
    }

    fn is_concealed(&self, path: &Path) -> bool {
        is_below(path, Path::new(PRIVATE)) || self.concealed.iter().any(|concealed| is_below(path, &concealed.path))
    }

    /// Whether neither a place nor a link on the way to it is concealed.
    pub(super) fn is_open(&self, found: &ResolvedName) -> bool {
        found.links.is_empty() && !self.is_concealed(&found.real)
    }

    /// Whether `path` is seen as it is.
    pub(super) fn is_seen(&self, path: &Path) -> bool {
        below_any(path, self.writable) || self.granted.iter().any(|granted| is_below(path, &granted.path))
    }

    /// Whether something at or below `path` is seen as it is, so that no link can stand there.
    pub(super) fn leads_to_seen(&self, path: &Path) -> bool {
        holds_any(path, self.writable) || self.granted.iter().any(|granted| is_below(&granted.path, path))
    }

    fn is_too_wide(&self, path: &Path) -> bool {
        let holds = |other: &PathBuf| other.starts_with(path);
        let is_mixed = |home: &PathBuf| MIXED.iter().any(|inner| home.join(inner) == *path);
        path == Path::new(PRIVATE)
            || self.homes.iter().any(holds)
            || self.homes.iter().any(is_mixed)
            || self.concealed.iter().any(|concealed| concealed.path == path)
            || self.writable.iter().any(|root| root != path && holds(root))
    }

    /// What is at `path`, whose folders hold no link; `None` when nothing is.
    fn meet(&self, path: &Path) -> Option<NameTarget> {
        let mut met = self.met.borrow_mut();
        if let Some(known) = met.get(path) {
            return known.clone();
        }
        let found = path.symlink_metadata().ok().and_then(|metadata| {
            if metadata.is_symlink() {
                std::fs::read_link(path).ok().map(NameTarget::Link)
            } else {
                Some(NameTarget::Itself)
            }
        });
        met.insert(path.to_owned(), found.clone());
        found
    }

    /// The path without its links. `None` when it leads nowhere.
    pub(super) fn follow(&self, path: &Path) -> Option<ResolvedName> {
        let mut links = Vec::new();
        let mut todo: Vec<PathBuf> = parts(path);
        let mut real = PathBuf::from("/");
        while let Some(part) = todo.pop() {
            if part == Path::new("..") {
                real.pop();
                continue;
            }
            let next = real.join(&part);
            let target = match self.meet(&next)? {
                NameTarget::Itself => {
                    real = next;
                    continue;
                }
                NameTarget::Link(target) => target,
            };
            if links.len() >= MAX_HOPS {
                return None;
            }
            if target.is_absolute() {
                real = PathBuf::from("/");
            }
            todo.extend(parts(&target));
            links.push(Link { at: next, to: target });
        }
        links.retain(|link| self.is_concealed(&link.at));
        Some(ResolvedName { real, links })
    }
}

/// The end of a path whose links were followed.
pub(super) struct ResolvedName {
    pub(super) real: PathBuf,
    /// The links on the way that lie in concealed folders.
    links: Vec<Link>,
}

/// The names of a path, last first.
fn parts(path: &Path) -> Vec<PathBuf> {
    let named = path.components().filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
    let mut parts: Vec<PathBuf> = named.map(|part| PathBuf::from(part.as_os_str())).collect();
    parts.reverse();
    parts
}
