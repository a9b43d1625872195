//! Which files changed between two calls, as the system tells it (inotify). What it cannot tell for
//! certain is looked at: folders that are new, moved or gone, ignore files, and a queue that was
//! too short.

use std::{
    collections::{BTreeSet, HashMap},
    ffi::OsStr,
    mem::MaybeUninit,
    os::{fd::OwnedFd, unix::ffi::OsStrExt as _},
    path::{Path, PathBuf},
};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};

use crate::sources::Walked;

/// The most folders that are watched: the system has a limit for all programs of a user.
const MAX_FOLDERS: usize = 50_000;
/// Files whose change changes which others are searched.
const IGNORING: [&str; 3] = [".gitignore", ".ignore", "exclude"];

/// What changed since the last call.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Changes {
    /// Everything is to be looked at.
    Unknown,
    /// These files, whatever happened to them.
    Files(BTreeSet<PathBuf>),
}

/// The watch over the folders of one workspace.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    queue: Option<OwnedFd>,
    folders: HashMap<i32, PathBuf>,
    watched: BTreeSet<PathBuf>,
    /// Whether every folder was watched before it was last looked at.
    covers: bool,
    walked: Walked,
}

impl Watch {
    /// Takes what the system has told since the last time.
    pub(crate) fn changes(&mut self) -> Changes {
        let Some(changed) = self.take().filter(|_| self.covers) else {
            self.covers = false;
            return Changes::Unknown;
        };
        Changes::Files(changed)
    }

    /// What the last whole walk came by.
    pub(crate) fn walked(&self) -> &Walked {
        &self.walked
    }

    /// Watches the folders that a walk came by. Only the walk after the one that found a folder has
    /// certainly seen what was in it: then it was watched already.
    pub(crate) fn follow(&mut self, folders: Vec<PathBuf>, walked: &Walked) {
        self.walked = walked.clone();
        self.covers = false;
        let folders: BTreeSet<PathBuf> = folders.into_iter().chain(walked.starts.iter().cloned()).collect();
        // With the folders between: a new file in one that had none.
        let starts = &walked.starts;
        let above = |folder: &PathBuf| {
            let inside = |above: &&Path| starts.iter().any(|start| above.starts_with(start));
            folder.ancestors().take_while(inside).map(Path::to_owned).collect::<Vec<_>>()
        };
        let folders: BTreeSet<PathBuf> = folders.iter().flat_map(above).collect();
        if folders.len() > MAX_FOLDERS || walked.is_cut {
            *self = Self { walked: walked.clone(), ..Self::default() };
            return;
        }
        if self.queue.is_none() {
            self.queue = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok();
        }
        let Some(queue) = &self.queue else { return };
        let mut is_new = false;
        for folder in folders.difference(&self.watched) {
            is_new = true;
            let wanted = WatchFlags::MODIFY
                | WatchFlags::CLOSE_WRITE
                | WatchFlags::ATTRIB
                | WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::MOVED_FROM
                | WatchFlags::MOVED_TO
                | WatchFlags::DELETE_SELF
                | WatchFlags::MOVE_SELF
                | WatchFlags::ONLYDIR
                | WatchFlags::DONT_FOLLOW;
            let Ok(number) = inotify::add_watch(queue, folder.as_path(), wanted) else {
                // The system's limit, or a folder that is gone: each call looks for itself.
                *self = Self { walked: walked.clone(), ..Self::default() };
                return;
            };
            self.folders.insert(number, folder.clone());
        }
        let is_quiet = self.take().is_some_and(|changed| changed.is_empty());
        self.covers = !is_new && is_quiet && folders.is_subset(&self.watched);
        self.watched = folders;
    }

    /// The files that the system named; `None` where it named more than files.
    fn take(&mut self) -> Option<BTreeSet<PathBuf>> {
        let queue = self.queue.as_ref()?;
        let mut buffer = [MaybeUninit::<u8>::uninit(); 16 * 1024];
        let mut reader = inotify::Reader::new(queue, &mut buffer);
        let (mut files, mut is_known) = (BTreeSet::new(), true);
        loop {
            match reader.next() {
                Ok(event) => {
                    let flags = event.events();
                    let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()));
                    let beyond = ReadFlags::QUEUE_OVERFLOW
                        | ReadFlags::IGNORED
                        | ReadFlags::DELETE_SELF
                        | ReadFlags::MOVE_SELF
                        | ReadFlags::UNMOUNT
                        | ReadFlags::ISDIR;
                    match (name, self.folders.get(&event.wd())) {
                        (Some(name), Some(folder)) if !flags.intersects(beyond) => {
                            is_known &= !IGNORING.iter().any(|ignoring| name == *ignoring);
                            files.insert(folder.join(name));
                        }
                        _ => is_known = false,
                    }
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => break,
                Err(_) => return None,
            }
        }
        is_known.then_some(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_told_only_once_everything_was_watched_before_it_was_seen() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("sub")).unwrap();
        let walked = Walked { starts: vec![root.clone()], ..Walked::default() };
        let mut watch = Watch::default();
        assert_eq!(watch.changes(), Changes::Unknown);
        watch.follow(vec![root.join("sub")], &walked);
        assert_eq!(watch.changes(), Changes::Unknown, "what came before the watch was not seen");
        watch.follow(vec![root.join("sub")], &walked);
        assert_eq!(watch.changes(), Changes::Files(BTreeSet::new()));
        std::fs::write(root.join("sub/a.rs"), "x").unwrap();
        assert_eq!(watch.changes(), Changes::Files(BTreeSet::from([root.join("sub/a.rs")])));
        assert_eq!(watch.changes(), Changes::Files(BTreeSet::new()));
        std::fs::write(root.join(".gitignore"), "x").unwrap();
        assert_eq!(watch.changes(), Changes::Unknown);
        watch.follow(vec![root.join("sub")], &walked);
        assert_eq!(watch.changes(), Changes::Files(BTreeSet::new()));
        std::fs::create_dir(root.join("new")).unwrap();
        assert_eq!(watch.changes(), Changes::Unknown);
    }
}
