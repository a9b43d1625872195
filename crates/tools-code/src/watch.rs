//! Reports which files changed between two calls (inotify). A folder is watched before it is read,
//! so that no change is missed. Nothing is watched where the system does not report every change,
//! and uncertain files are checked.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use tools_core::Locked as _;
use tools_sandbox::tree::{add_watch, max_watched_directories};

use crate::{config::SearchedFiles, sync_result::SyncResult};

/// Maximum number of inotify queues of one process: a user has 128 on most machines.
const MAX_QUEUES: usize = 16;
/// Maximum number of files with several hard links. Each is checked in each call.
const MAX_LINKED: usize = 5_000;
/// Maximum number of changes handled one by one; more of them cause a full walk.
const MAX_CHANGES: usize = 10_000;
/// Names of files and folders that affect which other files are searched.
const IGNORING: [&str; 5] = [".gitignore", ".ignore", "exclude", ".git", "info"];
/// Reason why changes are not watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnwatchedReason {
    FileSystem,
    Folders,
    Limit,
    Queues,
    Process,
    Linked,
    Twice,
    Passing,
    Partial,
}

impl UnwatchedReason {
    /// The reason as a sentence without its full stop.
    pub(crate) fn why(self) -> &'static str {
        match self {
            Self::FileSystem => "the file system does not tell of every change",
            Self::Folders => "there are more folders than a quarter of `fs.inotify.max_user_watches`, or than 50,000",
            Self::Limit => "the watches of this user are used up (`fs.inotify.max_user_watches`)",
            Self::Queues => "this process or this user has no queue left (`fs.inotify.max_user_instances`)",
            Self::Process => "the system does not tell of this process (`/proc`)",
            Self::Linked => "too many files have several names",
            Self::Twice => "one folder is in the workspace under two paths",
            Self::Passing => "something could not be read or was moved meanwhile",
            Self::Partial => "not all files were looked at, or not all fit into memory",
        }
    }

    /// Whether a retry is useless.
    fn is_lasting(self) -> bool {
        !matches!(self, Self::Twice | Self::Passing | Self::Partial)
    }
}

/// Changes since the last call.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// Files that changed in any way.
    pub(crate) files: BTreeSet<PathBuf>,
    /// Folders that appeared, with their contents.
    pub(crate) folders: BTreeSet<PathBuf>,
}

/// The state of a workspace since which changes are reported.
#[derive(Debug)]
pub(crate) struct WatchBaseline {
    /// Result of the last full walk.
    pub(crate) synced: SyncResult,
    /// Files with several hard links: a change through another link is not reported.
    pub(crate) linked: BTreeSet<PathBuf>,
    /// Start folders of that walk, with their identity.
    starts: Vec<(PathBuf, Option<(u64, u64)>)>,
    /// The mounted file systems: a new mount in the workspace is not reported.
    mounts: Vec<u8>,
    searched: SearchedFiles,
}

/// The watch over the folders of one workspace.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    queue: Option<Arc<OwnedFd>>,
    folders: HashMap<i32, PathBuf>,
    covered: Option<WatchBaseline>,
    unwatched: Option<UnwatchedReason>,
    /// The reason that was logged last.
    said: Option<UnwatchedReason>,
}

/// The watch of a walk. The threads of the walk share it.
pub(crate) struct WalkWatch {
    queue: Option<Arc<OwnedFd>>,
    most: usize,
    found: Mutex<Found>,
    starts: Vec<(PathBuf, Option<(u64, u64)>)>,
    mounts: Vec<u8>,
}

#[derive(Debug, Default)]
struct Found {
    folders: HashMap<i32, PathBuf>,
    linked: BTreeSet<PathBuf>,
    /// Number of folders that may not be read. The system reports when this changes.
    denied: u64,
    unwatched: Option<UnwatchedReason>,
}

impl Changes {
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.folders.is_empty()
    }

    /// Whether a path is in a new folder.
    pub(crate) fn covers(&self, path: &Path) -> bool {
        self.folders.iter().any(|folder| path.starts_with(folder))
    }

    /// Whether a folder is an ancestor of a change.
    pub(crate) fn leads_through(&self, folder: &Path) -> bool {
        self.files.iter().chain(&self.folders).any(|path| path.starts_with(folder))
    }
}

impl Watch {
    /// Returns the changes since the last call in a workspace with these `starts`; `None` when a
    /// full walk is needed. Call [`Watch::set_baseline`] afterwards to keep watching.
    pub(crate) fn changes(&mut self, starts: &[PathBuf], searched: &SearchedFiles) -> Option<(WatchBaseline, Changes)> {
        let covered = self.covered.take()?;
        if covered.searched != *searched || covered.starts != identified(starts) || mounts()? != covered.mounts {
            return None;
        }
        let changes = self.take(starts)?;
        Some((covered, changes))
    }

    /// Sets the state after all changes were indexed.
    pub(crate) fn set_baseline(&mut self, covered: WatchBaseline) {
        self.covered = Some(covered);
    }

    /// Starts watching for a full walk from `starts`.
    pub(crate) fn begin(&mut self, starts: &[PathBuf]) -> WalkWatch {
        self.covered = None;
        if !self.unwatched.is_some_and(UnwatchedReason::is_lasting) {
            self.unwatched = self.prepare(starts).err();
        }
        let queue = self.queue.clone().filter(|_| self.unwatched.is_none());
        let (starts, mounts) = (identified(starts), mounts().unwrap_or_default());
        WalkWatch { queue, most: max_watched_directories(), found: Mutex::default(), starts, mounts }
    }

    /// Starts watching for a partial walk.
    pub(crate) fn extend(&mut self) -> WalkWatch {
        let folders = std::mem::take(&mut self.folders);
        let found = Mutex::new(Found { folders, ..Found::default() });
        WalkWatch { queue: self.queue.clone(), most: max_watched_directories(), found, starts: vec![], mounts: vec![] }
    }

    /// Ends a partial walk; `None` when a full walk is needed.
    pub(crate) fn extended(&mut self, following: WalkWatch, unreadable: u64) -> Option<BTreeSet<PathBuf>> {
        let found = following.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.folders = found.folders;
        (found.unwatched.is_none() && unreadable == 0).then_some(found.linked)
    }

    /// Ends a full walk: the system reports changes from now on, or the result contains the reason
    /// why not.
    pub(crate) fn end(&mut self, following: WalkWatch, mut synced: SyncResult, searched: SearchedFiles) -> SyncResult {
        let WalkWatch { queue, found, starts, mounts, .. } = following;
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let fault = if synced.walked.is_cut || synced.full > 0 {
            Some(UnwatchedReason::Partial)
        } else if synced.walked.unreadable > found.denied {
            // A file that failed to be read, but not because of permissions, may be readable the
            // next time without a reported change.
            Some(UnwatchedReason::Passing)
        } else {
            found.unwatched.or(self.unwatched)
        };
        let Some(queue) = queue.filter(|_| fault.is_none()) else {
            if self.said != fault {
                tracing::info!(why = fault.map(UnwatchedReason::why), "each search of code looks at all files");
            }
            *self = Self { unwatched: fault, said: fault, ..Self::default() };
            synced.unwatched = fault.map(UnwatchedReason::why);
            return synced;
        };
        for number in self.folders.keys().filter(|number| !found.folders.contains_key(number)) {
            // A removed folder has no watch any more.
            let _ = inotify::remove_watch(&queue, *number);
        }
        self.folders = found.folders;
        self.covered = Some(WatchBaseline { synced: synced.clone(), linked: found.linked, starts, mounts, searched });
        synced
    }

    /// Creates the queue if there is none, and discards old events.
    fn prepare(&mut self, starts: &[PathBuf]) -> Result<(), UnwatchedReason> {
        if mounts().is_none() {
            return Err(UnwatchedReason::Process);
        }
        if self.queue.is_some() && !self.folders.is_empty() {
            let _ = self.take(starts);
        }
        if self.queue.is_none() || self.folders.is_empty() {
            self.anew();
            if queues() >= MAX_QUEUES {
                return Err(UnwatchedReason::Queues);
            }
            let queue =
                inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).map_err(|_| UnwatchedReason::Queues)?;
            self.queue = Some(Arc::new(queue));
        }
        Ok(())
    }

    /// The reported changes; `None` when they are incomplete.
    fn take(&mut self, starts: &[PathBuf]) -> Option<Changes> {
        let queue = Arc::clone(self.queue.as_ref()?);
        let mut buffer = [MaybeUninit::<u8>::uninit(); 16 * 1024];
        let mut reader = inotify::Reader::new(queue.as_ref(), &mut buffer);
        let (mut changes, mut is_known) = (Changes::default(), true);
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => break,
                Err(_) => return self.anew(),
            };
            let flags = event.events();
            // An overflow loses events, and the watch of a moved folder does not report its new
            // path.
            if flags.intersects(ReadFlags::QUEUE_OVERFLOW | ReadFlags::UNMOUNT | ReadFlags::MOVE_SELF) {
                return self.anew();
            }
            if flags.contains(ReadFlags::IGNORED) {
                self.folders.remove(&event.wd());
                continue;
            }
            // The folder is no longer watched.
            let Some(folder) = self.folders.get(&event.wd()) else { continue };
            let Some(name) = event.file_name() else {
                // Either removed, which its parent reports, or its permissions changed.
                is_known &= flags.contains(ReadFlags::DELETE_SELF);
                continue;
            };
            let name = OsStr::from_bytes(name.to_bytes());
            is_known &= !IGNORING.iter().any(|ignoring| name == *ignoring);
            let path = folder.join(name);
            // In parent folders and `.git`, only ignore files matter.
            let below = starts.iter().find_map(|start| path.strip_prefix(start).ok());
            if below.is_none_or(|below| below.iter().any(|part| part == ".git")) {
                continue;
            }
            if !flags.contains(ReadFlags::ISDIR) {
                changes.files.insert(path);
            } else if flags.intersects(ReadFlags::CREATE | ReadFlags::MOVED_TO) {
                changes.folders.insert(path);
            } else if flags.contains(ReadFlags::DELETE) {
                changes.folders.remove(&path);
            } else if flags.contains(ReadFlags::MOVED_FROM) {
                changes.folders.remove(&path);
                if self.folders.values().any(|watched| *watched == path) {
                    return self.anew();
                }
            } else {
                is_known = false;
            }
            if changes.files.len() + changes.folders.len() > MAX_CHANGES {
                // The full walk finds the remaining changes; the next call reads them from the
                // queue again.
                is_known = false;
                break;
            }
        }
        is_known.then_some(changes)
    }

    /// Drops every watch.
    fn anew(&mut self) -> Option<Changes> {
        *self = Self { unwatched: self.unwatched, said: self.said, ..Self::default() };
        None
    }
}

impl WalkWatch {
    /// Watches a folder before it is read.
    pub(crate) fn enter(&self, folder: &Path) {
        let Some(queue) = &self.queue else { return };
        if self.found.locked().unwatched.is_some() {
            return;
        }
        match watched(queue, folder) {
            Ok(Some(number)) => {
                let mut found = self.found.locked();
                let twin = found.folders.insert(number, folder.to_owned());
                if twin.is_some_and(|twin| twin != folder) {
                    found.unwatched = Some(UnwatchedReason::Twice);
                } else if found.folders.len() > self.most {
                    found.unwatched = Some(UnwatchedReason::Folders);
                }
            }
            Ok(None) => {}
            Err(Errno::ACCESS | Errno::PERM) => self.found.locked().denied += 1,
            Err(error) => {
                self.found.locked().unwatched = Some(match error {
                    Errno::NOSPC => UnwatchedReason::Limit,
                    Errno::OPNOTSUPP => UnwatchedReason::FileSystem,
                    _ => UnwatchedReason::Passing,
                });
            }
        }
    }

    /// Records a file with several hard links.
    pub(crate) fn linked(&self, file: &Path) {
        let mut found = self.found.locked();
        found.linked.insert(file.to_owned());
        if found.linked.len() > MAX_LINKED {
            found.unwatched = Some(UnwatchedReason::Linked);
        }
    }

    /// Records that something was not readable but may be the next time.
    pub(crate) fn doubt(&self) {
        self.found.locked().unwatched.get_or_insert(UnwatchedReason::Passing);
    }
}

/// Watches a folder by its handle, so that exactly the checked folder is watched. `None` when it is
/// not a folder; its parent reports when one appears.
fn watched(queue: &OwnedFd, folder: &Path) -> Result<Option<i32>, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = match rustix::fs::open(folder, flags, Mode::empty()) {
        Ok(handle) => handle,
        Err(Errno::NOENT) => return Ok(None),
        // The target of a link may change without a report.
        Err(Errno::NOTDIR | Errno::LOOP) if !folder.is_symlink() => return Ok(None),
        Err(error) => return Err(error),
    };
    add_watch(queue, &handle).map(Some)
}

/// The folders at these paths, with device and inode number.
fn identified(starts: &[PathBuf]) -> Vec<(PathBuf, Option<(u64, u64)>)> {
    let found = |start: &PathBuf| std::fs::symlink_metadata(start).ok().map(|found| (found.dev(), found.ino()));
    starts.iter().map(|start| (start.clone(), found(start))).collect()
}

/// The mounted file systems; `None` when the system does not report them.
fn mounts() -> Option<Vec<u8>> {
    std::fs::read("/proc/self/mountinfo").ok()
}

/// Number of inotify queues that this process has open.
fn queues() -> usize {
    let handles = std::fs::read_dir("/proc/self/fd").into_iter().flatten().filter_map(Result::ok);
    let is_queue = |path: &PathBuf| path.as_os_str().as_bytes().ends_with(b"inotify");
    handles.filter_map(|handle| std::fs::read_link(handle.path()).ok()).filter(is_queue).count()
}
