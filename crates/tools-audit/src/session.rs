//! The recorded calls of one session, for a reader that may not see other sessions.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use memchr::memmem;

use crate::{AuditError, AuditSink, JsonlSink, sink::last_number, verify, view::Row};

/// A page of the calls of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionRows {
    /// The calls, oldest first.
    pub rows: Vec<Row>,
    /// The number after which the next page begins; `None` at the end.
    pub next: Option<u64>,
}

/// A sink whose lines can be read again. It displays its location to people.
#[async_trait]
pub trait RecordStore: AuditSink + fmt::Debug + fmt::Display {
    /// The first `most` calls of `session` whose number is larger than `after`.
    ///
    /// # Errors
    /// When they cannot be read.
    async fn of_session(&self, session: &str, after: u64, most: usize) -> Result<SessionRows, AuditError>;
}

#[async_trait]
impl RecordStore for JsonlSink {
    async fn of_session(&self, session: &str, after: u64, most: usize) -> Result<SessionRows, AuditError> {
        let (log, session) = (self.path().to_owned(), session.to_owned());
        let reading = tokio::task::spawn_blocking(move || of_session(&log, &session, after, most));
        let ended =
            |error: tokio::task::JoinError| AuditError::Read { path: self.path().to_owned(), source: error.into() };
        reading.await.map_err(ended)?
    }
}

impl fmt::Display for JsonlSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path().display().fmt(f)
    }
}

/// The calls in the log at `log` and in the file before it. Empty if there is no log yet.
fn of_session(log: &Path, session: &str, after: u64, most: usize) -> Result<SessionRows, AuditError> {
    let mut page = SessionRows::default();
    for file in before(log).into_iter().chain([log.to_owned()]) {
        match verify::open(&file) {
            Ok(opened) => {
                let read = take(opened, session, after, most, &mut page);
                read.map_err(|source| AuditError::Read { path: file, source })?;
            }
            Err(AuditError::Read { source, .. } | AuditError::Open { source, .. })
                if source.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        if page.next.is_some() {
            break;
        }
    }
    Ok(page)
}

/// Adds the calls of a file until the page is full.
fn take(file: File, session: &str, after: u64, most: usize, page: &mut SessionRows) -> io::Result<()> {
    // Most lines belong to other sessions: they are not parsed.
    let quoted = serde_json::to_string(session).unwrap_or_default();
    let finder = memmem::Finder::new(quoted.as_bytes());
    let mut reader = BufReader::with_capacity(256 << 10, file);
    let mut line = Vec::new();
    loop {
        line.clear();
        if reader.read_until(b'\n', &mut line)? == 0 || !line.ends_with(b"\n") {
            return Ok(());
        }
        let row = finder.find(&line).and_then(|_| Row::of(&line));
        let Some(row) = row.filter(|row| row.session == session && row.seq > after) else { continue };
        if page.rows.len() == most {
            page.next = page.rows.last().map(|last| last.seq);
            return Ok(());
        }
        page.rows.push(row);
    }
}

/// The file before this one in the chain.
fn before(log: &Path) -> Option<PathBuf> {
    let (folder, name) = (log.parent()?, log.file_name()?.to_str()?);
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let number = |path: &Path| last_number(name, path.file_name()?.to_str()?);
    entries.filter_map(|path| Some((number(&path)?, path))).max().map(|(_, path)| path)
}
