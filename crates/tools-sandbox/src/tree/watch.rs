//! Which names in a tree changed since it was looked at, as the system tells it (inotify). A
//! directory is watched before it is listed, so that what is not listed is told. Where the system
//! does not tell everything, nothing is claimed to be known.

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

use super::told::{most_watched, tell_of};
use crate::Directory;

/// Names that are told one by one; after more of them everything is to be looked at.
const MAX_NAMES: usize = 20_000;
/// A watch over the directories of one tree. Paths are relative to its root.
#[derive(Debug)]
pub struct TreeWatch {
    queue: OwnedFd,
    directories: Mutex<HashMap<i32, PathBuf>>,
    most: usize,
    /// Something happened that is not told.
    is_blind: AtomicBool,
    root: PathBuf,
    /// The file systems that were mounted in the tree: what another one covers is not told.
    mounts: Vec<Vec<u8>>,
}

/// Changes that the system told of since the last time.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Noticed {
    /// Names to which something happened, by their directory. What happens in a directory changes
    /// its own times, which are its parent's to list.
    pub names: BTreeMap<PathBuf, BTreeSet<OsString>>,
    /// Directories that came or went: what was known of all below is void.
    pub replaced: BTreeSet<PathBuf>,
}

impl Noticed {
    /// Notes that something happened to a name.
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
    /// A watch over nothing yet.
    ///
    /// # Errors
    /// When the user or the process has no queue left, or the system does not say what is mounted.
    pub fn new(root: &Directory) -> io::Result<Self> {
        Ok(Self {
            queue: inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?,
            directories: Mutex::default(),
            most: most_watched(),
            is_blind: AtomicBool::new(false),
            root: root.path().to_owned(),
            mounts: mounts(root.path())?,
        })
    }

    /// Whether all that happens in the tree is told.
    pub fn sees_everything(&self) -> bool {
        !self.is_blind.load(Ordering::Relaxed)
    }

    /// Watches a directory that is about to be listed.
    pub(super) fn enter(&self, directory: &Directory, path: &Path) {
        if !self.sees_everything() {
            return;
        }
        let Ok(number) = tell_of(&self.queue, directory) else { return self.blind() };
        let mut directories = self.directories.lock().unwrap_or_else(PoisonError::into_inner);
        // One directory under two paths has one watch.
        let is_twin = directories.insert(number, path.to_owned()).is_some_and(|twin| twin != path);
        if is_twin || directories.len() > self.most {
            self.blind();
        }
    }

    /// Tells that something is in the tree of which not every change is told.
    pub(crate) fn blind(&self) {
        self.is_blind.store(true, Ordering::Relaxed);
    }

    /// The changes since the last time; `None` when that is not all that happened. The system
    /// tells of a change before the call that makes it returns.
    pub fn take(&mut self) -> Option<Noticed> {
        if !self.sees_everything() || mounts(&self.root).ok()? != self.mounts {
            return None;
        }
        let directories = self.directories.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut buffer = [MaybeUninit::<u8>::uninit(); 16 * 1024];
        let mut reader = inotify::Reader::new(&self.queue, &mut buffer);
        let (mut noticed, mut count) = (Noticed::default(), 0);
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
            // What was moved away is not watched any more.
            let Some(directory) = directories.get(&event.wd()).cloned() else { continue };
            let Some(name) = event.file_name() else {
                // Its parent tells. The root has none that is watched.
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
                // The watches of what was moved go with it, under names that are not theirs.
                if flags.contains(ReadFlags::MOVED_FROM) {
                    let moved: Vec<i32> = directories
                        .iter()
                        .filter(|(_, watched)| watched.starts_with(&path))
                        .map(|(id, _)| *id)
                        .collect();
                    for number in moved {
                        directories.remove(&number);
                        // One that is gone has no watch any more.
                        let _ = inotify::remove_watch(&self.queue, number);
                    }
                }
                noticed.replaced.insert(path);
            }
        }
    }
}

/// What is mounted at or below a path, each as the system describes it.
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
