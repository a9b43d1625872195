//! Reports the names in a tree that changed since it was listed, by inotify. A directory is watched
//! before it is listed, so that changes after the listing are reported. If the system may miss
//! changes, nothing is claimed to be known.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ffi::{OsStr, OsString},
    io,
    mem::MaybeUninit,
    os::{fd::OwnedFd, unix::ffi::OsStrExt as _},
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use rustix::{
    fs::inotify::{self, CreateFlags, ReadFlags},
    io::Errno,
};

use super::inotify::{add_watch, max_watched_directories};
use crate::Directory;

/// Maximum number of names reported one by one; beyond it the whole tree is listed again.
const MAX_NAMES: usize = 20_000;
/// A watch over the directories of one tree. Paths are relative to its root.
#[derive(Debug)]
pub struct TreeWatch {
    queue: OwnedFd,
    directories: Mutex<HashMap<i32, PathBuf>>,
    most: usize,
    /// Set if an event may have been missed.
    is_blind: AtomicBool,
    root: PathBuf,
    /// The mounts in the tree: changes below a new mount are not reported.
    mounts: Vec<Vec<u8>>,
}

/// Changes that the system has reported since the last call.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ReportedChanges {
    /// Changed names, by directory. A change in a directory also updates the directory's times,
    /// which are part of its parent's listing.
    pub names: BTreeMap<PathBuf, BTreeSet<OsString>>,
    /// Directories that were created or removed: earlier knowledge of everything below is invalid.
    pub replaced: BTreeSet<PathBuf>,
}

impl ReportedChanges {
    /// Adds a changed name.
    pub fn add(&mut self, directory: &Path, name: &OsStr) {
        if let Some(names) = self.names.get_mut(directory) {
            if !names.contains(name) {
                names.insert(name.to_owned());
            }
        } else {
            self.names.insert(directory.to_owned(), BTreeSet::from([name.to_owned()]));
        }
    }
}

impl TreeWatch {
    /// A watch on no directory yet.
    ///
    /// # Errors
    /// If the user or the process has no queue left, or the system does not list the mounts.
    pub fn new(root: &Directory) -> io::Result<Self> {
        Ok(Self {
            queue: inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?,
            directories: Mutex::default(),
            most: max_watched_directories(),
            is_blind: AtomicBool::new(false),
            root: root.path().to_owned(),
            mounts: mounts(root.path())?,
        })
    }

    /// Whether all changes in the tree are reported.
    pub fn reports_all_changes(&self) -> bool {
        !self.is_blind.load(Ordering::Relaxed)
    }

    /// Watches a directory that is about to be listed.
    pub(super) fn enter(&self, directory: &Directory, path: &Path) {
        if !self.reports_all_changes() {
            return;
        }
        let Ok(number) = add_watch(&self.queue, directory) else { return self.blind() };
        let mut directories = self.directories.lock().unwrap_or_else(PoisonError::into_inner);
        // One directory under two paths has only one watch.
        let is_twin = directories.insert(number, path.to_owned()).is_some_and(|twin| twin != path);
        if is_twin || directories.len() > self.most {
            self.blind();
        }
    }

    /// Marks the watch as incomplete: some changes in the tree are not reported.
    pub(crate) fn blind(&self) {
        self.is_blind.store(true, Ordering::Relaxed);
    }

    /// The changes since the last call; `None` if some may be missing. The system queues the event
    /// before the call that makes the change returns.
    pub fn take(&mut self) -> Option<ReportedChanges> {
        if !self.reports_all_changes() || mounts(&self.root).ok()? != self.mounts {
            return None;
        }
        let directories = self.directories.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut buffer = [MaybeUninit::<u8>::uninit(); 16 * 1024];
        let mut reader = inotify::Reader::new(&self.queue, &mut buffer);
        let (mut noticed, mut count) = (ReportedChanges::default(), 0);
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => return Some(noticed),
                Err(_) => return None,
            };
            let flags = event.events();
            if flags.intersects(ReadFlags::QUEUE_OVERFLOW | ReadFlags::UNMOUNT) {
                return None;
            }
            if flags.contains(ReadFlags::IGNORED) {
                directories.remove(&event.wd());
                continue;
            }
            // Directories that were moved away are not watched any more.
            let Some(directory) = directories.get(&event.wd()).cloned() else { continue };
            let Some(name) = event.file_name() else {
                // Its parent reports this. The parent of the root is not watched.
                if directory.as_os_str().is_empty() && flags.intersects(ReadFlags::MOVE_SELF | ReadFlags::DELETE_SELF) {
                    return None;
                }
                continue;
            };
            let name = OsStr::from_bytes(name.to_bytes());
            count += usize::from(noticed.names.get(&directory).is_none_or(|names| !names.contains(name)));
            if count > MAX_NAMES {
                return None;
            }
            noticed.add(&directory, name);
            if let (Some(above), Some(own)) = (directory.parent(), directory.file_name()) {
                noticed.add(above, own);
            }
            let came_or_went = ReadFlags::CREATE | ReadFlags::DELETE | ReadFlags::MOVED_FROM | ReadFlags::MOVED_TO;
            if flags.contains(ReadFlags::ISDIR) && flags.intersects(came_or_went) {
                let path = directory.join(name);
                // The watches of moved directories stay with them, under outdated paths.
                if flags.contains(ReadFlags::MOVED_FROM) {
                    let moved: Vec<i32> = directories
                        .iter()
                        .filter(|(_, watched)| watched.starts_with(&path))
                        .map(|(id, _)| *id)
                        .collect();
                    for number in moved {
                        directories.remove(&number);
                        // A removed directory has no watch any more.
                        let _ = inotify::remove_watch(&self.queue, number);
                    }
                }
                noticed.replaced.insert(path);
            }
        }
    }
}

/// The mounts at or below a path, each as the system describes it.
fn mounts(root: &Path) -> io::Result<Vec<Vec<u8>>> {
    let mut place = Vec::new();
    for byte in root.as_os_str().as_bytes() {
        match byte {
            b' ' | b'\t' | b'\n' | b'\\' => place.extend(format!("\\{byte:03o}").into_bytes()),
            _ => place.push(*byte),
        }
    }
    let all = std::fs::read("/proc/self/mountinfo")?;
    let is_below = |line: &&[u8]| line.split(|byte| *byte == b' ').nth(4).is_some_and(|at| at.starts_with(&place));
    Ok(all.split(|byte| *byte == b'\n').filter(is_below).map(<[u8]>::to_vec).collect())
}
