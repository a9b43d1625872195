//! What the processes of a call write, told by whoever starts them: so that what somebody else
//! changes meanwhile is not taken for their doing.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crate::FileState;

/// Paths that are remembered of one call. Beyond it nothing is claimed to be known.
const MAX_PATHS: usize = 500_000;

/// Log of the writes of a call's processes. Clones share the notes.
#[derive(Debug, Clone, Default)]
pub struct WriteLog(Arc<Mutex<Log>>);

#[derive(Debug, Default)]
struct Log {
    observed: bool,
    blind: bool,
    is_closed: bool,
    written: HashMap<PathBuf, WrittenPath>,
}

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
    /// Tells that a process was started of which every write will be noted before it happens.
    pub fn observing(&self) {
        self.with(|log| log.observed = true);
    }

    /// Tells that something runs whose writes nobody notes.
    pub fn blind(&self) {
        self.with(|log| log.blind = true);
    }

    /// Notes a write that is about to happen at a canonical path. Only the first one of a path asks
    /// what lies there.
    pub fn note(&self, path: &Path, with_all_below: bool, before: impl FnOnce() -> Option<FileState>) {
        self.with(|log| {
            if log.is_closed || log.blind {
                return;
            }
            if let Some(known) = log.written.get_mut(path) {
                known.with_all_below |= with_all_below;
            } else if log.written.len() < MAX_PATHS {
                log.written.insert(path.to_owned(), WrittenPath { before: before(), with_all_below });
            } else {
                log.blind = true;
            }
        });
    }

    /// Everything that was noted; later writes are noted no more. `None` when somebody wrote
    /// without being observed, or nobody was observed at all.
    pub fn take(&self) -> Option<Writes> {
        self.with(|log| {
            log.is_closed = true;
            (log.observed && !log.blind).then(|| Writes(std::mem::take(&mut log.written)))
        })
    }

    fn with<T>(&self, work: impl FnOnce(&mut Log) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
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

    /// Whether the path lies in something that the call moved as a whole.
    pub fn moved(&self, path: &Path) -> bool {
        path.ancestors().skip(1).any(|above| self.0.get(above).is_some_and(|written| written.with_all_below))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn what_nobody_saw_is_not_known() {
        assert!(WriteLog::default().take().is_none(), "nobody was observed");
        let log = WriteLog::default();
        log.observing();
        log.blind();
        assert!(log.take().is_none(), "not everybody was observed");
    }
}
