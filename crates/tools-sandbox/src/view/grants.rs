//! Collects the grants in concealed folders: links on the way are kept, and paths that are too
//! broad or denied are left out.

use std::{
    cell::RefCell,
    collections::HashMap,
    path::{Component, Path, PathBuf},
};

use crate::below::{below_any, holds_any, is_below};

use super::value::{ConcealedFolder, GrantedPath, Link};

/// Maximum number of grants: each is a mount for each process.
const MAX_GRANTS: usize = 192;
/// Child processes have a private folder in its place.
const PRIVATE: &str = "/tmp";
/// Maximum number of links followed on the way to one place.
const MAX_HOPS: usize = 16;
/// Folders of a home that contain more than programs; they are never granted as a whole.
const MIXED: [&str; 10] =
    ["", ".config", ".local", ".local/share", ".local/state", ".cache", ".docker", "Documents", "Desktop", "Downloads"];

/// The grants so far.
pub(super) struct Grants<'a> {
    concealed: &'a [ConcealedFolder],
    homes: &'a [PathBuf],
    writable: &'a [PathBuf],
    denies: &'a dyn Fn(&Path) -> bool,
    pub(super) granted: Vec<GrantedPath>,
    pub(super) links: Vec<Link>,
    /// Entries found on the way to other places: most begin with the same folders.
    met: RefCell<HashMap<PathBuf, Option<NameTarget>>>,
}

#[derive(Debug, Clone)]
enum NameTarget {
    Itself,
    Link(PathBuf),
}

/// Origin of a grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// A person: any path is granted.
    Configuration,
    /// Discovery: only paths that contain nothing but programs.
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

    /// Grants `path` if it is concealed. Returns `true` if it is readable afterwards, even if it
    /// was before.
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

    /// The canonical target of `path`; `None` if it does not exist.
    pub(super) fn real(&self, path: &Path) -> Option<PathBuf> {
        self.follow(path).map(|found| found.real)
    }

    /// The location of a name that need not exist: its folder with links followed; the links are
    /// kept. `None` if it lies in no concealed folder, or in one that is visible.
    pub(super) fn place(&mut self, path: &Path) -> Option<PathBuf> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return None };
        let place = match self.follow(parent) {
            Some(ResolvedName { real, links }) => {
                self.keep_links(links);
                real.join(name)
            }
            // The folder does not exist either: use the path as spelled.
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

    /// Whether neither the place nor a link on the way to it is concealed.
    pub(super) fn is_open(&self, found: &ResolvedName) -> bool {
        found.links.is_empty() && !self.is_concealed(&found.real)
    }

    /// Whether `path` is visible unchanged.
    pub(super) fn is_seen(&self, path: &Path) -> bool {
        below_any(path, self.writable) || self.granted.iter().any(|granted| is_below(path, &granted.path))
    }

    /// Whether something at or below `path` is visible unchanged, so that it cannot be a link.
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

    /// The entry at `path`, whose folders contain no link; `None` if it does not exist.
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

    /// The path with links resolved. `None` if it does not exist.
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

/// The result of following the links of a path.
pub(super) struct ResolvedName {
    pub(super) real: PathBuf,
    /// The followed links that lie in concealed folders.
    links: Vec<Link>,
}

/// The components of a path in reverse order.
fn parts(path: &Path) -> Vec<PathBuf> {
    let named = path.components().filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
    let mut parts: Vec<PathBuf> = named.map(|part| PathBuf::from(part.as_os_str())).collect();
    parts.reverse();
    parts
}
