//! What the processes of a call write, told by whoever starts them: so that what somebody else
//! changes meanwhile is not taken for their doing.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::{FileState, Locked as _};

/// Paths that are remembered of one call. Beyond it nothing is claimed to be known.
const MAX_PATHS: usize = 500_000;

/// Log of the writes of a call's processes. Clones share the notes.
#[derive(Debug, Clone, Default)]
pub struct WriteLog(Arc<Mutex<Log>>);

/// Keeps what a call is about to overwrite. Asked by whoever notes the writes, while the process
/// that writes stands still.
pub trait WriteKeeper: Send + Sync {
    /// Something is about to be written, made or removed at a canonical path, for the first time in
    /// this call; `with_all_below` when a folder is about to be renamed.
    fn about_to_write(&self, path: &Path, with_all_below: bool);

    /// From now on writes happen that are not noted.
    fn unobserved(&self);
}

#[derive(Default)]
struct Log {
    observed: bool,
    blind: bool,
    is_closed: bool,
    written: HashMap<PathBuf, WrittenPath>,
    keeper: Option<Arc<dyn WriteKeeper>>,
}

crate::partial_debug!(Log { written });

/// One path that a call wrote: opened for writing, made, replaced, renamed, removed, or given
/// another mode or time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenPath {
    /// State right before the call first wrote it; `None` for nothing.
    pub before: Option<FileState>,
    /// Whether all below the path came or went with it: it was renamed.
    pub with_all_below: bool,
}

impl WriteLog {
    /// The same log, which asks `keeper` before a path is written for the first time. It lets go of
    /// the keeper when the notes are taken.
    #[must_use]
    pub fn kept_by(self, keeper: Arc<dyn WriteKeeper>) -> Self {
        self.with(|log| log.keeper = Some(keeper));
        self
    }

    /// Tells that a process was started of which every write will be noted before it happens.
    pub fn observing(&self) {
        self.with(|log| log.observed = true);
    }

    /// Tells that something is about to run whose writes nobody notes.
    pub fn blind(&self) {
        let keeper = self.with(|log| {
            let is_news = !std::mem::replace(&mut log.blind, true) && !log.is_closed;
            log.keeper.clone().filter(|_| is_news)
        });
        if let Some(keeper) = keeper {
            keeper.unobserved();
        }
    }

    /// Notes a write that is about to happen at a canonical path. Only the first one of a path asks
    /// what lies there.
    pub fn note(&self, path: &Path, with_all_below: bool, before: impl FnOnce() -> Option<FileState>) {
        let is_known = self.with(|log| {
            if log.is_closed || log.blind {
                return true;
            }
            let Some(known) = log.written.get_mut(path) else { return false };
            let is_less = known.with_all_below || !with_all_below;
            known.with_all_below |= with_all_below;
            is_less
        });
        if is_known {
            return;
        }
        if self.with(|log| log.written.len() >= MAX_PATHS) {
            return self.blind();
        }
        // Without the lock: keeping may take a while.
        if let Some(keeper) = self.with(|log| log.keeper.clone()) {
            keeper.about_to_write(path, with_all_below);
        }
        let before = before();
        self.with(|log| {
            if !log.is_closed {
                log.written.entry(path.to_owned()).or_insert(WrittenPath { before, with_all_below });
            }
        });
    }

    /// Whether the path was noted, or a folder above it that was moved as a whole. `None` when the
    /// log is not complete: no process is observed, or one writes without being observed.
    pub fn has(&self, path: &Path) -> Option<bool> {
        self.with(|log| {
            let is_whole = |above: &Path| log.written.get(above).is_some_and(|written| written.with_all_below);
            let is_noted = || log.written.contains_key(path) || path.ancestors().skip(1).any(is_whole);
            (log.observed && !log.blind).then(is_noted)
        })
    }

    /// Everything that was noted; later writes are noted no more. `None` when somebody wrote
    /// without being observed, or nobody was observed at all.
    pub fn take(&self) -> Option<Writes> {
        self.with(|log| {
            log.is_closed = true;
            log.keeper = None;
            (log.observed && !log.blind).then(|| Writes(std::mem::take(&mut log.written)))
        })
    }

    fn with<T>(&self, work: impl FnOnce(&mut Log) -> T) -> T {
        work(&mut self.0.locked())
    }
}

/// Every path that a call wrote.
#[derive(Debug, Clone, Default)]
pub struct Writes(HashMap<PathBuf, WrittenPath>);

impl Writes {
    /// The recorded state of a path that the call wrote by this name; `None` when it did not.
    pub fn at(&self, path: &Path) -> Option<&WrittenPath> {
        self.0.get(path)
    }

    /// Every path that the call wrote.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.0.keys().map(PathBuf::as_path)
    }

    /// Whether the path lies in something that the call moved as a whole.
    pub fn moved(&self, path: &Path) -> bool {
        path.ancestors().skip(1).any(|above| self.0.get(above).is_some_and(|written| written.with_all_below))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_was_written_where_all_are_noted() {
        let log = WriteLog::default();
        assert_eq!(log.has(Path::new("/w/a")), None);
        log.observing();
        log.note(Path::new("/w/a"), false, || None);
        log.note(Path::new("/w/moved"), true, || None);
        let has = |path: &str| log.has(Path::new(path));
        assert_eq!([has("/w/a"), has("/w/a/b"), has("/w/moved/b")], [Some(true), Some(false), Some(true)]);
        log.blind();
        assert_eq!(log.has(Path::new("/w/a")), None);
    }

    fn state(size: u64) -> FileState {
        FileState { id: (1, 1), size, modified: (1, 1), changed: (1, 1) }
    }

    #[test]
    fn the_first_write_says_what_was_there() {
        let log = WriteLog::default();
        log.observing();
        log.note(Path::new("/w/a"), false, || Some(state(1)));
        log.note(Path::new("/w/a"), false, || Some(state(2)));
        log.note(Path::new("/w/d"), true, || None);
        let writes = log.take().unwrap();
        assert_eq!(writes.at(Path::new("/w/a")).unwrap().before, Some(state(1)));
        assert!(writes.at(Path::new("/w/b")).is_none() && !writes.moved(Path::new("/w/b")));
        assert!(writes.moved(Path::new("/w/d/e/f")));
    }

    #[derive(Default)]
    struct Asked(Mutex<Vec<PathBuf>>);

    impl WriteKeeper for Asked {
        fn about_to_write(&self, path: &Path, with_all_below: bool) {
            self.0.lock().unwrap().push(if with_all_below { path.join("*") } else { path.to_owned() });
        }

        fn unobserved(&self) {
            self.0.lock().unwrap().push(PathBuf::from("all"));
        }
    }

    #[test]
    fn the_keeper_is_asked_once_for_each_path_and_once_for_all() {
        let asked = Arc::new(Asked::default());
        let log = WriteLog::default().kept_by(asked.clone());
        for (path, with_all_below) in
            [("/w/a", false), ("/w/a", false), ("/w/a", true), ("/w/a", true), ("/w/b", false)]
        {
            log.note(Path::new(path), with_all_below, || None);
        }
        log.blind();
        log.blind();
        log.note(Path::new("/w/c"), false, || None);
        assert_eq!(*asked.0.lock().unwrap(), ["/w/a", "/w/a/*", "/w/b", "all"].map(PathBuf::from));
        let asked = Arc::new(Asked::default());
        let log = WriteLog::default().kept_by(asked.clone());
        log.take();
        log.note(Path::new("/w/c"), false, || None);
        log.blind();
        assert!(asked.0.lock().unwrap().is_empty(), "the call is over");
    }

    #[test]
    fn what_nobody_saw_is_not_known() {
        assert!(WriteLog::default().take().is_none(), "nobody was observed");
        let log = WriteLog::default();
        log.observing();
        log.blind();
        assert!(log.take().is_none(), "not everybody was observed");
    }
}
