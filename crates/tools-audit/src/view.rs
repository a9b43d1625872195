//! The log for people: rows of a table, and following a growing file. Text that is not a line is
//! skipped.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::{AuditError, verify};

/// One call as a table shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Number of the line in the chain.
    pub seq: u64,
    /// Time of arrival.
    pub ts: String,
    /// The session.
    pub session: String,
    /// The tool, or the log's own event.
    pub tool: String,
    /// Subject of the call: the first subject, otherwise the parameters.
    pub about: String,
    /// Decision of the gates.
    pub decision: String,
    /// Rule or person that allowed the call, or the rule that refused it.
    pub by: String,
    /// `ok`, or the code of the failure.
    pub outcome: String,
    /// Duration of the call.
    pub duration_ms: u64,
}

impl Row {
    /// The row of a line; `None` if it is not a JSON object.
    pub fn of(line: &[u8]) -> Option<Self> {
        let line: Map<String, Value> = serde_json::from_slice(line).ok()?;
        let text = |key: &str| line.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let number = |key: &str| line.get(key).and_then(Value::as_u64).unwrap_or_default();
        let or = |first: String, second: &str| if first.is_empty() { text(second) } else { first };
        Some(Self {
            seq: number("seq"),
            ts: text("ts"),
            session: text("session"),
            tool: or(text("tool"), "event"),
            about: about(&line),
            decision: text("decision"),
            by: or(or(text("policy_match"), "approved_by"), "rule"),
            outcome: match text("error_code") {
                code if code.is_empty() => "ok".to_owned(),
                code => code,
            },
            duration_ms: number("duration_ms"),
        })
    }
}

fn about(line: &Map<String, Value>) -> String {
    let subject = line.get("subjects").and_then(|subjects| subjects.get(0));
    let named = subject.and_then(|subject| {
        ["line", "path", "url", "why"].iter().find_map(|key| subject.get(*key).and_then(Value::as_str))
    });
    let host = line.get("host").and_then(Value::as_str).zip(line.get("port").and_then(Value::as_u64));
    if let Some((host, port)) = host {
        return format!("{host}:{port}");
    }
    match (named, line.get("call")) {
        (Some(text), _) => text.to_owned(),
        (None, Some(call)) => call.to_string(),
        (None, None) => String::new(),
    }
}

/// All rows of a log, oldest first.
pub fn rows(path: &Path) -> Result<Vec<Row>, AuditError> {
    let mut follower = Follower::from_start(path)?;
    Ok(follower.poll()?.iter().filter_map(|line| Row::of(line)).collect())
}

/// Reads lines added to a log, even after it continued in a new file.
#[derive(Debug)]
pub struct Follower {
    path: PathBuf,
    reader: BufReader<File>,
    inode: u64,
    /// The beginning of an incomplete line.
    partial: Vec<u8>,
}

impl Follower {
    /// Starts with the first line of the file.
    pub fn from_start(path: &Path) -> Result<Self, AuditError> {
        let file = verify::open(path)?;
        let inode = file.metadata().map_err(|source| read_error(path, source))?.ino();
        Ok(Self { path: path.to_owned(), reader: BufReader::new(file), inode, partial: Vec::new() })
    }

    /// Starts with the last `count` lines of the file.
    pub fn from_last(path: &Path, count: usize) -> Result<Self, AuditError> {
        let mut follower = Self::from_start(path)?;
        let at = last_lines(follower.reader.get_mut(), count).map_err(|source| read_error(path, source))?;
        follower.reader.seek(SeekFrom::Start(at)).map_err(|source| read_error(path, source))?;
        Ok(follower)
    }

    /// The complete lines added since the last call, without newlines; empty if there are none.
    ///
    /// # Errors
    /// When the file cannot be read, or its successor cannot be opened.
    pub fn poll(&mut self) -> Result<Vec<Vec<u8>>, AuditError> {
        let mut lines = self.drain()?;
        let now = std::fs::metadata(&self.path).ok().map(|metadata| metadata.ino());
        if now.is_some_and(|inode| inode != self.inode) {
            // Lines may have been added to the old file between the last read and the change of
            // files.
            lines.extend(self.drain()?);
            *self = Self::from_start(&self.path)?;
            lines.extend(self.drain()?);
        }
        Ok(lines)
    }

    fn drain(&mut self) -> Result<Vec<Vec<u8>>, AuditError> {
        let mut lines = Vec::new();
        loop {
            let read = self.reader.read_until(b'\n', &mut self.partial);
            if read.map_err(|source| read_error(&self.path, source))? == 0 || !self.partial.ends_with(b"\n") {
                return Ok(lines);
            }
            self.partial.pop();
            lines.push(std::mem::take(&mut self.partial));
        }
    }
}

/// The position where the last `count` lines begin.
fn last_lines(file: &mut File, count: usize) -> io::Result<u64> {
    let mut at = file.metadata()?.len();
    let mut newlines = 0;
    let mut block = vec![0; 64 * 1024];
    while at > 0 {
        let size = at.min(block.len() as u64);
        let start = at - size;
        file.seek(SeekFrom::Start(start))?;
        let bytes = &mut block[..usize::try_from(size).unwrap_or(0)];
        file.read_exact(bytes)?;
        for (offset, byte) in bytes.iter().enumerate().rev() {
            if *byte == b'\n' {
                newlines += 1;
                if newlines > count {
                    return Ok(start + offset as u64 + 1);
                }
            }
        }
        at = start;
    }
    Ok(0)
}

fn read_error(path: &Path, source: io::Error) -> AuditError {
    AuditError::Read { path: path.to_owned(), source }
}
