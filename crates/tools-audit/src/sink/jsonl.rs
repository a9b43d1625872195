//! A log in a file that several processes may append to at once.
//!
//! Every append holds the file's lock from reading the last hash to the end of the write; the last
//! hash is read again only if the file has changed since this process left it. No line in the file
//! is ever cut off or overwritten.

use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::Errno;
use tools_core::Locked as _;

use super::file::{FileLock, Identity, look, open, sync_folder, write_whole};
use super::flush::Flusher;
use super::head;
use super::rotated::rotated_name;
use super::tail::{self, Tail};
use crate::chain::{Mark, seal};
use crate::{AuditError, AuditSink, Fsync, Head};

/// An append-only file, one line per call.
#[derive(Debug)]
pub struct JsonlSink {
    path: PathBuf,
    max_bytes: u64,
    sync: Sync,
    state: Mutex<State>,
}

/// Method of syncing lines to disk.
#[derive(Debug)]
enum Sync {
    /// Before the append returns.
    Always,
    /// Soon after the append.
    Soon(Flusher),
    /// When the kernel decides.
    Never,
}

#[derive(Debug)]
struct State {
    file: Arc<File>,
    identity: Identity,
    /// The length of the file after this process's last write; `None` if its end must be read
    /// again.
    len: Option<u64>,
    head: Head,
    mark: Option<Mark>,
    /// Whether the file ends in the middle of a line.
    torn: bool,
    line: String,
    /// The file in which the head is noted.
    noted: File,
    /// Offset up to which disk space is reserved for the file.
    room: u64,
}

/// Space in bytes that must be reserved before a call runs: more than a line takes.
const ROOM: u64 = 64 * 1024;
/// Number of bytes reserved at once, so that not every call has to reserve space.
const ROOM_AHEAD: u64 = 1024 * 1024;

impl JsonlSink {
    /// Opens or creates the file, readable by its owner only.
    ///
    /// # Errors
    /// When it cannot be opened for reading and writing, is not a regular file, or holds anything
    /// other than a log.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, AuditError> {
        let path = path.into();
        let (file, identity) = open(&path)?;
        let mut state = State {
            file,
            identity,
            len: None,
            head: Head::default(),
            mark: None,
            torn: false,
            line: String::new(),
            noted: head::open(&path)?,
            room: 0,
        };
        drop(state.lock(&path)?);
        Ok(Self { path, max_bytes: 0, sync: Sync::Never, state: Mutex::new(state) })
    }

    /// Begins a new file once the size reaches `max_bytes`; 0 never does.
    pub fn rotating_at(self, max_bytes: u64) -> Self {
        Self { max_bytes, ..self }
    }

    /// Sets how lines are synced to disk; the default is [`Fsync::Never`].
    pub fn syncing(self, fsync: Fsync, interval: Duration) -> Self {
        let sync = match fsync {
            Fsync::Always => Sync::Always,
            Fsync::Interval => Sync::Soon(Flusher::new(interval)),
            Fsync::Never => Sync::Never,
        };
        Self { sync, ..self }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The last line known to this process: shown at the end of a session, to detect a cut tail
    /// later.
    pub fn head(&self) -> Head {
        self.state().head.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic in the middle of an append leaves `len: None`: the end is read again.
        self.state.locked()
    }
}

impl AuditSink for JsonlSink {
    fn append(&self, body: &str) -> Result<Head, AuditError> {
        let mut state = self.state();
        let _locked = state.lock(&self.path)?;
        let (head, is_new_file) = state.write(body, self.max_bytes, &self.path)?;
        let synced = match &self.sync {
            Sync::Always if is_new_file => state.file.sync_all().and_then(|()| sync_folder(&self.path)),
            Sync::Always => state.file.sync_data(),
            Sync::Soon(flusher) => flusher.dirty(&state.file),
            Sync::Never => Ok(()),
        };
        synced.map_err(|source| write_error(&self.path, source))?;
        // The line is recorded even without the head, which only reveals a cut-off end.
        if let Err(error) = head::write(&state.noted, &head) {
            tracing::warn!(%error, path = %self.path.display(), "cannot note the head of the audit log");
        }
        Ok(head)
    }

    fn prepare(&self) -> Result<(), AuditError> {
        let mut state = self.state();
        let end = state.file.metadata().map_err(|source| write_error(&self.path, source))?.len();
        if state.room >= end.saturating_add(ROOM) {
            return Ok(());
        }
        let ahead = state.allocate(end, ROOM_AHEAD).or_else(|_| state.allocate(end, ROOM));
        state.room = match ahead {
            Ok(room) => room,
            Err(errno @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG | Errno::ROFS | Errno::IO)) => {
                return Err(write_error(&self.path, errno.into()));
            }
            // The file system cannot reserve space: nothing can be checked beforehand.
            Err(_) => u64::MAX,
        };
        Ok(())
    }
}

impl State {
    /// Reserves space after the end of the file, without changing its length.
    fn allocate(&self, end: u64, length: u64) -> Result<u64, Errno> {
        fallocate(&self.file, FallocateFlags::KEEP_SIZE, end, length)?;
        Ok(end.saturating_add(length))
    }

    /// Locks the file now at the path, and reads its end.
    fn lock(&mut self, path: &Path) -> Result<FileLock, AuditError> {
        // Bounded: another round is only needed if another process has replaced the file meanwhile.
        for _ in 0..100 {
            let locked = FileLock::take(&self.file, path)?;
            match look(path)? {
                Some((identity, len)) if identity == self.identity => {
                    if self.len != Some(len) {
                        self.read_end(len, path)?;
                    }
                    return Ok(locked);
                }
                _ => {
                    drop(locked);
                    (self.file, self.identity) = open(path)?;
                    self.len = None;
                    self.room = 0;
                }
            }
        }
        Err(AuditError::Locked(path.to_owned()))
    }

    fn read_end(&mut self, len: u64, path: &Path) -> Result<(), AuditError> {
        let read = tail::read(&self.file, len).map_err(|source| AuditError::Read { path: path.to_owned(), source })?;
        let Tail { head, mark, torn } = read.ok_or_else(|| AuditError::NotAnAuditLog(path.to_owned()))?;
        let is_new_here = self.head.seq == 0;
        // A log that ends before the last line known here was cut: continue from the known line, so
        // that the gap is visible.
        if head.seq > self.head.seq {
            self.head = head;
        }
        self.mark = mark;
        match head::read(&self.noted) {
            // Somebody removed the whole log. A new chain begins, and its first line refers to the
            // earlier one.
            Some(noted) if is_new_here && self.head.seq == 0 && self.mark.is_none() => {
                self.mark = Some(Mark::Replaces { seq: noted.seq, hash: noted.hash });
            }
            Some(noted) if noted.seq > self.head.seq || noted.seq == self.head.seq && noted != self.head => {
                self.head = noted;
            }
            _ => {}
        }
        self.torn = torn;
        self.len = Some(len);
        Ok(())
    }

    /// Writes a line, and returns whether it is the first of its file.
    fn write(&mut self, body: &str, max_bytes: u64, path: &Path) -> Result<(Head, bool), AuditError> {
        let len = self.len.take().unwrap_or_default();
        let is_full = max_bytes > 0 && len > 0 && len.saturating_add(body.len() as u64) > max_bytes;
        if is_full && !self.torn && self.mark.is_none() {
            match self.rotate(body, path) {
                Ok(head) => return Ok((head, true)),
                // The line matters more than the size: continue in the old file.
                Err(error) => tracing::warn!(%error, path = %path.display(), "cannot begin a new audit file"),
            }
        }
        self.line.clear();
        if self.torn {
            self.line.push('\n');
        }
        let head = seal(&self.head, body, self.mark.as_ref(), &mut self.line);
        if let Err(source) = write_whole(&self.file, self.line.as_bytes()) {
            self.take_back(len);
            return Err(write_error(path, source));
        }
        Ok((self.wrote(head, len), len == 0))
    }

    /// Removes a partial line left by a failed write. It can only be our own, since the lock is
    /// held.
    fn take_back(&mut self, len: u64) {
        let is_longer = self.file.metadata().is_ok_and(|metadata| metadata.len() > len);
        if !is_longer || self.file.set_len(len).is_ok() {
            self.len = Some(len);
            self.room = 0;
        }
    }

    /// Replaces the file by a new one with this line as its first; the old file gets a numbered
    /// name.
    ///
    /// The path always leads to a file with a line in it: a process that opens it meanwhile finds
    /// either the old end or the new start of the chain.
    fn rotate(&mut self, body: &str, path: &Path) -> Result<Head, AuditError> {
        let failed = |source| write_error(path, source);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let kept = rotated_name(&name, self.head.seq);
        let mark = Mark::Continues { file: kept.clone() };
        self.line.clear();
        let head = seal(&self.head, body, Some(&mark), &mut self.line);
        let fresh = path.with_file_name(format!("{name}.{}.new", head.seq));
        let file = File::options().read(true).append(true).create_new(true).mode(0o600).open(&fresh).map_err(failed)?;
        let swapped = write_whole(&file, self.line.as_bytes())
            .and_then(|()| std::fs::hard_link(path, path.with_file_name(kept)))
            .and_then(|()| std::fs::rename(&fresh, path))
            .and_then(|()| file.metadata());
        match swapped {
            Ok(metadata) => {
                self.identity = Identity::of(&metadata);
                self.file = Arc::new(file);
                self.room = 0;
                Ok(self.wrote(head, 0))
            }
            Err(error) => {
                // The file is ours and not in place: removing it loses nothing of the log.
                let _ = std::fs::remove_file(&fresh);
                Err(failed(error))
            }
        }
    }

    fn wrote(&mut self, head: Head, len: u64) -> Head {
        self.len = Some(len + self.line.len() as u64);
        self.head = head.clone();
        self.mark = None;
        self.torn = false;
        head
    }
}

fn write_error(path: &Path, source: io::Error) -> AuditError {
    AuditError::Write { path: path.to_owned(), source }
}
