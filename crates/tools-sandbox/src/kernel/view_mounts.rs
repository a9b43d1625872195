//! Renders a view with mounts: each concealed folder is covered by one of ours, which contains
//! links, copies and mount points for the granted paths. That folder is created once per view and
//! mounted for each process.

use std::collections::HashSet;
use std::ffi::CString;
use std::io::{ErrorKind, Write as _};
use std::os::fd::RawFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::path_text::text;
use super::sys::{self, Errno, Reach, Result};
use crate::below::{below_any, is_below};
use crate::private::{PrivateFolder, memory_places};
use crate::process::{SpawnError, Step};
use crate::view::View;

/// Maximum number of mounts for a view; their detached forms are in an array on the child's stack.
pub(crate) const MAX_SEEN: usize = 256;

/// The folders that cover concealed ones, created per view.
#[derive(Default)]
pub(super) struct Covers(Mutex<MadeCovers>);

#[derive(Default)]
struct MadeCovers {
    /// The folder that contains them; created with the first one.
    base: Option<PrivateFolder>,
    views: Vec<(Arc<View>, PathBuf)>,
    entries: Entries,
}

/// Entries created in the covers. Nothing else changes the covers, so the file system need not be
/// checked.
#[derive(Default)]
struct Entries {
    /// All entries, each after its folder, with whether it is a folder.
    made: Vec<(PathBuf, bool)>,
    folders: HashSet<PathBuf>,
    others: HashSet<PathBuf>,
}

/// A mount that shows a granted path.
struct ViewMount {
    source: CString,
    target: CString,
}

/// The mounts that show a view, outermost first.
#[derive(Default)]
pub(super) struct ViewMounts {
    shown: Vec<ViewMount>,
    caches: Option<CString>,
}

/// Detached mounts, by number in [`ViewMounts`].
pub(super) struct DetachedMounts {
    shown: [RawFd; MAX_SEEN],
    caches: RawFd,
}

impl Covers {
    /// The folder whose entries `0`, `1` … cover the concealed folders of `view`, in their order.
    fn of(&self, view: &Arc<View>) -> std::io::Result<PathBuf> {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let MadeCovers { base, views, entries } = &mut *made;
        if let Some((_, folder)) = views.iter().find(|(known, _)| Arc::ptr_eq(known, view) || known == view) {
            return Ok(folder.clone());
        }
        let base = match base {
            Some(base) => base,
            None => base.insert(PrivateFolder::create_in_first(&memory_places())?),
        };
        entries.folders.insert(base.path().to_owned());
        let folder = base.path().join(format!("view-{}", views.len()));
        entries.folder(&folder)?;
        for (number, concealed) in view.concealed.iter().enumerate() {
            let cover = folder.join(number.to_string());
            entries.folder(&cover)?;
            entries.fill(&cover, &concealed.path, view)?;
        }
        views.push((Arc::clone(view), folder.clone()));
        Ok(folder)
    }

    /// Like [`make_point`], for a place in the covers.
    fn make_point(&self, at: &Path, is_folder: bool) -> std::io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).entries.point(at, is_folder)
    }
}

impl Drop for MadeCovers {
    fn drop(&mut self) {
        // Known entries are removed directly; the base is removed with everything left in it.
        for (path, is_folder) in self.entries.made.iter().rev() {
            let _ = if *is_folder { std::fs::remove_dir(path) } else { std::fs::remove_file(path) };
        }
    }
}

impl Entries {
    /// Adds the entries that are not mounted to `cover`: links, and copies of files. The others are
    /// created for each plan.
    fn fill(&mut self, cover: &Path, concealed: &Path, view: &View) -> std::io::Result<()> {
        for granted in &view.granted {
            if let Ok(inner) = granted.path.strip_prefix(concealed) {
                self.point(&cover.join(inner), granted.source.is_dir())?;
            }
        }
        for link in &view.links {
            if let Ok(inner) = link.at.strip_prefix(concealed) {
                self.other(&cover.join(inner), |at| std::os::unix::fs::symlink(&link.to, at))?;
            }
        }
        for copy in &view.handed_in {
            if let Ok(inner) = copy.path.strip_prefix(concealed) {
                self.other(&cover.join(inner), |at| std::fs::File::create_new(at)?.write_all(&copy.content))?;
            }
        }
        Ok(())
    }

    /// Creates an empty file or folder as a mount point.
    fn point(&mut self, at: &Path, is_folder: bool) -> std::io::Result<()> {
        if is_folder { self.folder(at) } else { self.other(at, |at| std::fs::File::create_new(at).map(drop)) }
    }

    /// Creates a folder, and missing ones above it.
    fn folder(&mut self, at: &Path) -> std::io::Result<()> {
        if self.folders.contains(at) {
            return Ok(());
        }
        let above = at.parent().unwrap_or(at);
        let made = std::fs::create_dir(at).or_else(|error| match error.kind() {
            ErrorKind::NotFound if above != at => self.folder(above).and_then(|()| std::fs::create_dir(at)),
            _ => Err(error),
        });
        match made {
            Ok(()) => {
                self.note(at, true);
                Ok(())
            }
            // One of our links leads to it.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && at.is_dir() => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Creates another kind of entry, unless it exists, and the folders above it.
    fn other(&mut self, at: &Path, make: impl FnOnce(&Path) -> std::io::Result<()>) -> std::io::Result<()> {
        if self.others.contains(at) || self.folders.contains(at) {
            return Ok(());
        }
        if let Some(parent) = at.parent() {
            self.folder(parent)?;
        }
        match make(at) {
            Ok(()) => self.note(at, false),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Records a created entry, unless a link leads out of our folders to its place.
    fn note(&mut self, at: &Path, is_folder: bool) {
        if at.parent().is_some_and(|above| self.folders.contains(above)) {
            self.made.push((at.to_owned(), is_folder));
            let known = if is_folder { &mut self.folders } else { &mut self.others };
            known.insert(at.to_owned());
        }
    }
}

/// Creates an empty file or folder as a mount point.
fn make_point(at: &Path, is_folder: bool) -> std::io::Result<()> {
    if is_folder {
        return if at.is_dir() { Ok(()) } else { std::fs::create_dir_all(at) };
    }
    if let Some(parent) = at.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::OpenOptions::new().append(true).create(true).open(at).map(drop)
}

impl ViewMounts {
    /// Plans the mounts of `view` for processes that may write `writable` and connect to `sockets`.
    /// `temp` is the folder that becomes `/tmp` if that is private.
    pub(super) fn new(
        view: &Arc<View>,
        covers_made: &Covers,
        writable: &[&PathBuf],
        sockets: &[PathBuf],
        temp: Option<&Path>,
    ) -> std::result::Result<Self, SpawnError> {
        let folder = covers_made.of(view).map_err(SpawnError::PrivateFolders)?;
        // Our folders with mounts inside: the folder each covers, and its path.
        let mut own: Vec<(PathBuf, PathBuf)> = temp.map(|temp| ("/tmp".into(), temp.to_owned())).into_iter().collect();
        let numbered = view.concealed.iter().enumerate();
        own.extend(numbered.map(|(number, concealed)| (concealed.path.clone(), folder.join(number.to_string()))));
        let mut shown = Vec::new();
        let point = |target: &Path, is_folder: bool| {
            let covering = own.iter().filter(|(covers, _)| target != covers && is_below(target, covers));
            let Some((covers, cover)) = covering.max_by_key(|(covers, _)| covers.components().count()) else {
                return Ok(());
            };
            // Paths below a granted one are already visible.
            let is_there = view.granted.iter().any(|granted| {
                target != granted.path && is_below(target, &granted.path) && is_below(&granted.path, covers)
            });
            let Ok(inner) = target.strip_prefix(covers) else { return Ok(()) };
            let made = match cover.join(inner) {
                _ if is_there => Ok(()),
                // Commands write there and may remove created entries.
                at if temp == Some(cover) => make_point(&at, is_folder),
                at => covers_made.make_point(&at, is_folder),
            };
            made.map_err(SpawnError::PrivateFolders)
        };
        for (covers, cover) in own.iter().skip(usize::from(temp.is_some())) {
            if below_any(covers, writable) {
                continue;
            }
            point(covers, true)?;
            shown.push((covers.clone(), cover.clone()));
        }
        for granted in &view.granted {
            if below_any(&granted.path, writable) {
                continue;
            }
            point(&granted.path, granted.source.is_dir())?;
            shown.push((granted.path.clone(), granted.source.clone()));
        }
        let roots: Vec<PathBuf> = writable.iter().map(|root| (*root).clone()).collect();
        for socket in sockets.iter().filter(|socket| view.conceals(socket, &roots).is_some()) {
            point(socket, socket.is_dir())?;
            shown.push((socket.clone(), socket.clone()));
        }
        for root in writable {
            point(root, true)?;
        }
        if let Some(caches) = &view.caches {
            point(caches, true)?;
        }
        shown.sort();
        shown.truncate(MAX_SEEN);
        let shown = shown.iter().map(|(target, source)| Ok(ViewMount { source: text(source)?, target: text(target)? }));
        let caches = view.caches.as_deref().map(text).transpose()?;
        Ok(Self { shown: shown.collect::<std::result::Result<_, SpawnError>>()?, caches })
    }

    /// Detaches the caches before everything becomes read-only.
    pub(super) fn detach_caches(&self) -> std::result::Result<RawFd, (Step, Errno)> {
        let Some(caches) = &self.caches else { return Ok(-1) };
        let detached = sys::clone_tree(caches, Reach::One).and_then(|mount| {
            sys::mount_setattr_fd(mount, Reach::One, sys::MOUNT_ATTR_NOSUID | sys::MOUNT_ATTR_NODEV)?;
            Ok(mount)
        });
        detached.map_err(|errno| (Step::WritableFolder, errno))
    }

    /// Detaches the granted paths, which are read-only by then, before anything is covered.
    pub(super) fn detach(&self, caches: RawFd) -> std::result::Result<DetachedMounts, (Step, Errno)> {
        let mut detached = DetachedMounts { shown: [-1; MAX_SEEN], caches };
        for (slot, shown) in detached.shown.iter_mut().zip(&self.shown) {
            *slot = match sys::clone_tree(&shown.source, Reach::Recursive) {
                Ok(mount) => mount,
                // Removed since it was planned, or not accessible to us: it is not shown.
                Err(Errno(libc::ENOENT | libc::EACCES)) => -1,
                Err(errno) => return Err((Step::Conceal, errno)),
            };
        }
        Ok(detached)
    }

    /// Covers concealed folders and attaches granted paths.
    pub(super) fn attach(&self, detached: &DetachedMounts) -> std::result::Result<(), (Step, Errno)> {
        for (mount, shown) in detached.shown.iter().zip(&self.shown) {
            show(*mount, &shown.target).map_err(|errno| (Step::Conceal, errno))?;
        }
        Ok(())
    }

    /// Attaches the caches at their place.
    pub(super) fn attach_caches(&self, detached: &DetachedMounts) -> std::result::Result<(), (Step, Errno)> {
        self.caches
            .as_ref()
            .map_or(Ok(()), |target| show(detached.caches, target))
            .map_err(|errno| (Step::Conceal, errno))
    }
}

fn show(mount: RawFd, target: &std::ffi::CStr) -> Result<()> {
    if mount < 0 {
        return Ok(());
    }
    sys::move_mount(mount, target)?;
    sys::close(mount);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{GrantedPath, Link, SubstituteFile};

    #[test]
    fn covers_are_made_once_and_go_with_what_is_in_them_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let (base, outside) = (place.path().join("base"), place.path().join("outside"));
        std::fs::create_dir_all(&base).unwrap();
        std::fs::create_dir_all(&outside).unwrap();
        let granted = |path: &str, source: &Path| GrantedPath {
            path: path.into(),
            source: source.to_owned(),
            why: String::new(),
        };
        let link = |at: &str, to: &Path| Link { at: at.into(), to: to.to_owned() };
        let copy = |path: &str| SubstituteFile { path: path.into(), content: b"a".to_vec(), variable: None };
        let view = View {
            granted: vec![granted("/h/.tool/bin", &outside), granted("/h/.tool/env", Path::new("/missing"))],
            links: vec![link("/h/.cache", &outside), link("/h/.cache/inner", &outside), link("/h/a/b", &outside)],
            handed_in: vec![copy("/h/.gitconfig"), copy("/h/.cache/copy"), copy("/h/a/b"), copy("/other")],
            ..View::default()
        };
        let mut made = MadeCovers::default();
        made.entries.folders.insert(base.clone());
        for _ in 0..2 {
            made.entries.folder(&base.join("0")).unwrap();
            made.entries.fill(&base.join("0"), Path::new("/h"), &view).unwrap();
        }
        let cover = base.join("0");
        assert!(cover.join(".tool/bin").is_dir() && cover.join(".tool/env").is_file());
        assert_eq!(std::fs::read_link(cover.join("a/b")).unwrap(), outside);
        assert_eq!(std::fs::read(cover.join(".gitconfig")).unwrap(), b"a");
        assert!(!cover.join("other").exists());
        drop(made);
        assert_eq!(std::fs::read_dir(&base).unwrap().count(), 0);
        assert!(outside.join("inner").is_symlink() && outside.join("copy").is_file());
    }
}
