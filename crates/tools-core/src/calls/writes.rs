//! Paths written by the processes of a call, noted by the code that starts them, so that concurrent
//! changes by others are not attributed to the call.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::{FileState, Locked as _};

/// Maximum number of paths noted for one call. Beyond it the log counts as incomplete.
const MAX_PATHS: usize = 500_000;

/// Log of the writes of a call's processes. Clones share the notes.
#[derive(Debug, Clone, Default)]
pub struct WriteLog(Arc<Mutex<Log>>);

/// Saves data that a call is about to overwrite. Called by the code that notes the writes, while
/// the writing process is stopped.
pub trait WriteKeeper: Send + Sync {
    /// Called before a canonical path is written, created or removed for the first time in this
    /// call; `with_all_below` if a folder is about to be renamed.
    fn about_to_write(&self, path: &Path, with_all_below: bool);

    /// Called when unobserved writes begin.
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

/// One path that a call wrote: opened for writing, created, replaced, renamed, removed, or given
/// another mode or time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenPath {
    /// State right before the first write of the call; `None` if nothing was there.
    pub before: Option<FileState>,
    /// Whether everything below the path moved with it, since it was renamed.
    pub with_all_below: bool,
}

impl WriteLog {
    /// Calls `keeper` before a path is written for the first time. The log drops the keeper when
    /// the notes are taken.
    #[must_use]
    pub fn with_keeper(self, keeper: Arc<dyn WriteKeeper>) -> Self {
        self.with(|log| log.keeper = Some(keeper));
        self
    }

    /// Notes that a process was started whose writes will all be noted before they happen.
    pub fn observing(&self) {
        self.with(|log| log.observed = true);
    }

    /// Notes that unobserved writes are about to happen.
    pub fn blind(&self) {
        let keeper = self.with(|log| {
            let is_news = !std::mem::replace(&mut log.blind, true) && !log.is_closed;
            log.keeper.clone().filter(|_| is_news)
        });
        if let Some(keeper) = keeper {
            keeper.unobserved();
        }
    }

    /// Notes a write that is about to happen at a canonical path. Only the first write of a path
    /// calls `before`.
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
        // Called without the lock, since saving may take a while.
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

    /// Whether the path was noted, or is in a folder that was moved as a whole. `None` if the log
    /// is incomplete: no process is observed, or one writes unobserved.
    pub fn has(&self, path: &Path) -> Option<bool> {
        self.with(|log| {
            let is_whole = |above: &Path| log.written.get(above).is_some_and(|written| written.with_all_below);
            let is_noted = || log.written.contains_key(path) || path.ancestors().skip(1).any(is_whole);
            (log.observed && !log.blind).then(is_noted)
        })
    }

    /// Takes all notes and stops noting. `None` if somebody wrote unobserved, or nobody was
    /// observed.
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
    /// The recorded state of a path that the call wrote under this name; `None` if it did not.
    pub fn at(&self, path: &Path) -> Option<&WrittenPath> {
        self.0.get(path)
    }

    /// Every path that the call wrote.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.0.keys().map(PathBuf::as_path)
    }

    /// Whether the path lies in a folder that the call moved as a whole.
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
        let log = WriteLog::default().with_keeper(asked.clone());
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
        let log = WriteLog::default().with_keeper(asked.clone());
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
