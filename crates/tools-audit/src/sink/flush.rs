//! Syncs lines to disk in the background: for `fsync = "interval"`, where no call waits for the
//! disk.

use std::fs::File;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tools_core::Locked as _;

/// A thread that syncs written files, at once and then at most once per interval: the line of a
/// program with a single call is being synced while the program ends. It starts with the first
/// line.
#[derive(Debug)]
pub(super) struct Flusher {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug)]
struct Shared {
    pending: Mutex<FlushQueue>,
    changed: Condvar,
    interval: Duration,
}

#[derive(Debug, Default)]
struct FlushQueue {
    /// Files written since the last sync: several right after a rotation.
    files: Vec<Arc<File>>,
    failure: Option<io::Error>,
    ends: bool,
}

impl Flusher {
    pub(super) fn new(interval: Duration) -> Self {
        let shared = Shared { pending: Mutex::default(), changed: Condvar::new(), interval };
        Self { shared: Arc::new(shared), thread: Mutex::default() }
    }

    /// Schedules a sync of the file within an interval.
    ///
    /// # Errors
    /// When an earlier sync failed: lines already reported as written may be lost.
    pub(super) fn dirty(&self, file: &Arc<File>) -> io::Result<()> {
        let mut pending = self.shared.pending();
        if let Some(error) = pending.failure.take() {
            return Err(error);
        }
        if pending.files.iter().any(|known| Arc::ptr_eq(known, file)) {
            return Ok(());
        }
        pending.files.push(Arc::clone(file));
        drop(pending);
        self.shared.changed.notify_one();
        let mut thread = self.thread.locked();
        if thread.is_none() {
            let shared = Arc::clone(&self.shared);
            *thread = Some(std::thread::Builder::new().name("audit-fsync".to_owned()).spawn(move || shared.run())?);
        }
        Ok(())
    }
}

impl Drop for Flusher {
    fn drop(&mut self) {
        self.shared.pending().ends = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            // The thread does not panic, and a panic could not be reported.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn pending(&self) -> MutexGuard<'_, FlushQueue> {
        self.pending.locked()
    }

    fn run(&self) {
        let mut synced: Option<Instant> = None;
        loop {
            let idle = self.changed.wait_while(self.pending(), |pending| pending.files.is_empty() && !pending.ends);
            let mut pending = idle.unwrap_or_else(PoisonError::into_inner);
            if let Some(rest) = synced.and_then(|synced| self.interval.checked_sub(synced.elapsed())) {
                let due = self.changed.wait_timeout_while(pending, rest, |pending| !pending.ends);
                pending = due.unwrap_or_else(PoisonError::into_inner).0;
            }
            let files = std::mem::take(&mut pending.files);
            let ends = pending.ends;
            // Later writes belong to the next round.
            drop(pending);
            for error in files.iter().filter_map(|file| file.sync_data().err()) {
                tracing::error!(%error, "audit lines may not have reached the disk");
                self.pending().failure = Some(error);
            }
            synced = Some(Instant::now());
            if ends {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sync_that_fails_is_told_to_the_next_line() {
        let flusher = Flusher::new(Duration::ZERO);
        // A pipe cannot be synced.
        let (reader, _writer) = io::pipe().unwrap();
        let unsyncable = Arc::new(File::from(std::os::fd::OwnedFd::from(reader)));
        flusher.dirty(&unsyncable).unwrap();
        let fine = Arc::new(tempfile::tempfile().unwrap());
        let mut failed = false;
        for _ in 0..10_000 {
            failed = flusher.dirty(&fine).is_err();
            if failed {
                break;
            }
            std::thread::yield_now();
            std::thread::sleep(Duration::from_micros(200));
        }
        assert!(failed);
        assert!(flusher.dirty(&fine).is_ok(), "told once");
    }

    #[test]
    fn the_first_line_does_not_wait_for_the_interval_and_the_next_does() {
        let flusher = Flusher::new(Duration::from_hours(1));
        let file = Arc::new(tempfile::tempfile().unwrap());
        let is_pending = || !flusher.shared.pending().files.is_empty();
        flusher.dirty(&file).unwrap();
        while is_pending() {
            std::thread::yield_now();
        }
        // Nothing is known of the second sync until the first is over.
        while Arc::strong_count(&file) > 1 {
            std::thread::yield_now();
        }
        flusher.dirty(&file).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        assert!(is_pending(), "synced twice within an interval");
    }

    #[test]
    fn the_end_does_not_wait_for_the_interval() {
        let flusher = Flusher::new(Duration::from_hours(1));
        flusher.dirty(&Arc::new(tempfile::tempfile().unwrap())).unwrap();
        drop(flusher);
    }
}
