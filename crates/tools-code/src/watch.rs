//! Which files changed between two calls, as the system tells it (inotify). A folder is watched
//! before it is read, so that what is not read is told. Where the system does not tell everything
//! nothing is watched, and whatever it cannot tell for certain is looked at.

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

/// The most queues of one process: a user has 128 on most machines.
const MAX_QUEUES: usize = 16;
/// The most files with several names. Each is looked at in each call.
const MAX_LINKED: usize = 5_000;
/// Changes that are taken one by one; after more of them all files are looked at.
const MAX_CHANGES: usize = 10_000;
/// Files and folders whose change changes which others are searched.
const IGNORING: [&str; 5] = [".gitignore", ".ignore", "exclude", ".git", "info"];
/// Why changes are not learned from the system.
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
    /// As a sentence without its full stop.
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

    /// Whether trying again is in vain.
    fn is_lasting(self) -> bool {
        !matches!(self, Self::Twice | Self::Passing | Self::Partial)
    }
}

/// What changed since the last call.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// Files, whatever happened to them.
    pub(crate) files: BTreeSet<PathBuf>,
    /// Folders that came, with all that is in them.
    pub(crate) folders: BTreeSet<PathBuf>,
}

/// The state of a workspace from which the system tells what changed.
#[derive(Debug)]
pub(crate) struct WatchBaseline {
    /// What the last walk of everything came to.
    pub(crate) synced: SyncResult,
    /// Files with several names: a change under another one is not told.
    pub(crate) linked: BTreeSet<PathBuf>,
    /// Where that walk began, and which folders these were.
    starts: Vec<(PathBuf, Option<(u64, u64)>)>,
    /// The file systems that were mounted: another one in the workspace is not told.
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
    /// What the log has said of that.
    said: Option<UnwatchedReason>,
}

/// A watch that follows a walk. Shared by the threads of the walk.
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
    /// Folders that may not be read. That this changes is told.
    denied: u64,
    unwatched: Option<UnwatchedReason>,
}

impl Changes {
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.folders.is_empty()
    }

    /// Whether a path lies in a folder that came.
    pub(crate) fn covers(&self, path: &Path) -> bool {
        self.folders.iter().any(|folder| path.starts_with(folder))
    }

    /// Whether the way to something that changed leads through a folder.
    pub(crate) fn leads_through(&self, folder: &Path) -> bool {
        self.files.iter().chain(&self.folders).any(|path| path.starts_with(folder))
    }
}

impl Watch {
    /// Takes what the system has told since the last call, of a workspace that begins at `starts`;
    /// `None` where everything is to be looked at. What was covered is so again once
    /// [`Watch::set_baseline`] is called.
    pub(crate) fn changes(&mut self, starts: &[PathBuf], searched: &SearchedFiles) -> Option<(WatchBaseline, Changes)> {
        let covered = self.covered.take()?;
        if covered.searched != *searched || covered.starts != identified(starts) || mounts()? != covered.mounts {
            return None;
        }
        let changes = self.take(starts)?;
        Some((covered, changes))
    }

    /// All that changed was taken in.
    pub(crate) fn set_baseline(&mut self, covered: WatchBaseline) {
        self.covered = Some(covered);
    }

    /// Begins to watch for a walk over everything from `starts` on.
    pub(crate) fn begin(&mut self, starts: &[PathBuf]) -> WalkWatch {
        self.covered = None;
        if !self.unwatched.is_some_and(UnwatchedReason::is_lasting) {
            self.unwatched = self.prepare(starts).err();
        }
        let queue = self.queue.clone().filter(|_| self.unwatched.is_none());
        let (starts, mounts) = (identified(starts), mounts().unwrap_or_default());
        WalkWatch { queue, most: max_watched_directories(), found: Mutex::default(), starts, mounts }
    }

    /// Begins to watch for a walk over a part.
    pub(crate) fn extend(&mut self) -> WalkWatch {
        let folders = std::mem::take(&mut self.folders);
        let found = Mutex::new(Found { folders, ..Found::default() });
        WalkWatch { queue: self.queue.clone(), most: max_watched_directories(), found, starts: vec![], mounts: vec![] }
    }

    /// The walk over a part is done; `None` where that is not enough.
    pub(crate) fn extended(&mut self, following: WalkWatch, unreadable: u64) -> Option<BTreeSet<PathBuf>> {
        let found = following.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.folders = found.folders;
        (found.unwatched.is_none() && unreadable == 0).then_some(found.linked)
    }

    /// The walk over everything is done, and the system tells what changes from now on. Gives why
    /// it does not.
    pub(crate) fn end(&mut self, following: WalkWatch, mut synced: SyncResult, searched: SearchedFiles) -> SyncResult {
        let WalkWatch { queue, found, starts, mounts, .. } = following;
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let fault = if synced.walked.is_cut || synced.full > 0 {
            Some(UnwatchedReason::Partial)
        } else if synced.walked.unreadable > found.denied {
            // What could not be read for another reason than its rights may be readable the next
            // time, without anything being told.
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
            // One that is gone has no watch any more.
            let _ = inotify::remove_watch(&queue, *number);
        }
        self.folders = found.folders;
        self.covered = Some(WatchBaseline { synced: synced.clone(), linked: found.linked, starts, mounts, searched });
        synced
    }

    /// Makes the queue where there is none, and takes out what is not of interest any more.
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

    /// The changes that the system named; `None` where it named more than that.
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
            // What was told before an overflow is not all; where a folder went, its watch does not
            // tell.
            if flags.intersects(ReadFlags::QUEUE_OVERFLOW | ReadFlags::UNMOUNT | ReadFlags::MOVE_SELF) {
                return self.anew();
            }
            if flags.contains(ReadFlags::IGNORED) {
                self.folders.remove(&event.wd());
                continue;
            }
            // Not watched any more.
            let Some(folder) = self.folders.get(&event.wd()) else { continue };
            let Some(name) = event.file_name() else {
                // Gone, which its own folder tells; or of other rights.
                is_known &= flags.contains(ReadFlags::DELETE_SELF);
                continue;
            };
            let name = OsStr::from_bytes(name.to_bytes());
            is_known &= !IGNORING.iter().any(|ignoring| name == *ignoring);
            let path = folder.join(name);
            // Of folders above, and of `.git`, only the ignore files are of interest.
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
                // What else is in the queue is found by looking, and once more by the next call.
                is_known = false;
                break;
            }
        }
        is_known.then_some(changes)
    }

    /// Forgets every watch.
    fn anew(&mut self) -> Option<Changes> {
        *self = Self { unwatched: self.unwatched, said: self.said, ..Self::default() };
        None
    }
}

impl WalkWatch {
    /// Watches a folder that is about to be read.
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

    /// Notes a file that has other names.
    pub(crate) fn linked(&self, file: &Path) {
        let mut found = self.found.locked();
        found.linked.insert(file.to_owned());
        if found.linked.len() > MAX_LINKED {
            found.unwatched = Some(UnwatchedReason::Linked);
        }
    }

    /// Something was not read that may be readable the next time.
    pub(crate) fn doubt(&self) {
        self.found.locked().unwatched.get_or_insert(UnwatchedReason::Passing);
    }
}

/// Watches what is a folder now: by a handle, so that what was judged is what is watched. `None`
/// where there is no folder; what it lies in tells when one comes.
fn watched(queue: &OwnedFd, folder: &Path) -> Result<Option<i32>, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = match rustix::fs::open(folder, flags, Mode::empty()) {
        Ok(handle) => handle,
        Err(Errno::NOENT) => return Ok(None),
        // Where a link leads may change without a word.
        Err(Errno::NOTDIR | Errno::LOOP) if !folder.is_symlink() => return Ok(None),
        Err(error) => return Err(error),
    };
    add_watch(queue, &handle).map(Some)
}

/// The folders at these paths, each with its device and its number there.
fn identified(starts: &[PathBuf]) -> Vec<(PathBuf, Option<(u64, u64)>)> {
    let found = |start: &PathBuf| std::fs::symlink_metadata(start).ok().map(|found| (found.dev(), found.ino()));
    starts.iter().map(|start| (start.clone(), found(start))).collect()
}

/// What is mounted; `None` where the system does not say.
fn mounts() -> Option<Vec<u8>> {
    std::fs::read("/proc/self/mountinfo").ok()
}

/// Number of inotify queues that this process has open.
fn queues() -> usize {
    let handles = std::fs::read_dir("/proc/self/fd").into_iter().flatten().filter_map(Result::ok);
    let is_queue = |path: &PathBuf| path.as_os_str().as_bytes().ends_with(b"inotify");
    handles.filter_map(|handle| std::fs::read_link(handle.path()).ok()).filter(is_queue).count()
}
