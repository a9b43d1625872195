//! Checks a log from its first line to its last: what was changed, what is missing, where it ends.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;

use serde::{Deserialize, Serialize};
use tools_core::sha256_hex;

use crate::chain::{SealedLine, unseal};
use crate::{AuditError, Head, ZERO_HASH, noted_head};

/// No line is longer: what is longer was not written by us, and is not read into memory.
const MAX_LINE_BYTES: u64 = 16 * 1024 * 1024;

/// Result of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Number of lines of the chain that were read.
    pub lines: u64,
    /// The number of the first one.
    pub first_seq: Option<u64>,
    /// The number of the last one.
    pub last_seq: Option<u64>,
    /// The hash of the last line.
    pub head: Option<String>,
    /// The sessions, each with its lines.
    pub sessions: BTreeMap<String, SessionLines>,
    /// The first place where the chain does not hold.
    pub broken: Option<Broken>,
    /// Number of such places.
    pub broken_count: u64,
    /// Writes that were cut off and that the line after tells of: no part of the chain, and no
    /// breach of it.
    pub damaged: Vec<Damage>,
    /// Number of calls that could not be put on record, as later lines say.
    pub lost: u64,
    /// The file that this one continues; `None` for the first of its chain.
    pub continues: Option<Continuation>,
    /// The files before this one, newest first, as far as they are there.
    pub earlier: Vec<Earlier>,
    /// The chain that was in this place before and was put away as a whole.
    pub replaces: Option<Head>,
    /// Heads that were noted elsewhere and that the log was compared with.
    pub heads: u64,
}

impl Report {
    /// Whether every line is what it was when it was written and none is missing.
    pub fn is_intact(&self) -> bool {
        self.broken.is_none() && self.earlier.iter().all(|file| file.broken.is_none())
    }
}

/// A file of the same chain, before the one that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Earlier {
    /// Its name, in the same folder.
    pub file: String,
    /// Number of lines of the chain that were read.
    pub lines: u64,
    /// The number of the first one.
    pub first_seq: Option<u64>,
    /// The first place where the chain does not hold.
    pub broken: Option<Broken>,
}

/// The lines of one session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SessionLines {
    /// Number of lines.
    pub lines: u64,
    /// The number of the last one.
    pub last_seq: u64,
    /// Its hash: the head of the session.
    pub head: String,
}

/// A place where the chain does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Broken {
    /// The line of the file, from 1.
    pub line: u64,
    /// The problem, as a sentence without a period.
    pub why: String,
}

/// A write that was cut off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// The line of the file where it begins, from 1.
    pub line: u64,
    /// Number of bytes it left behind.
    pub bytes: u64,
}

/// Reference of a file to the one that it continues.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Continuation {
    /// The name of the file before, in the same folder.
    pub file: String,
    /// Whether its last line is the one that this file goes on from; `None` when it is not there to
    /// be looked at.
    pub fits: Option<bool>,
}

/// Checks a file, the files that it continues, and that it goes on at least as far as the head
/// noted beside it.
///
/// # Errors
/// When it cannot be opened or read, or is no regular file. What is wrong with its content is in
/// the report.
pub fn verify(path: &Path) -> Result<Report, AuditError> {
    verify_with(path, &[])
}

/// The same, and that the log holds the lines of `heads`, which were noted elsewhere.
///
/// # Errors
/// As [`verify()`].
pub fn verify_with(path: &Path, heads: &[Head]) -> Result<Report, AuditError> {
    // Read before the log: it may only lag behind what is there.
    let heads: Vec<Head> = heads.iter().cloned().chain(noted_head(path)).collect();
    let mut checker = check(path, heads)?;
    checker.check_end();
    let Checker { mut report, start, .. } = checker;
    let (fits, earlier) = follow_back(path, &report, &start);
    report.earlier = earlier;
    if let Some(continuation) = &mut report.continues {
        continuation.fits = fits;
        if fits == Some(false) {
            let why = format!("`{}` does not end where this file goes on", continuation.file);
            report.broken_count += 1;
            // It concerns the first line: whatever else is wrong comes after.
            report.broken = Some(Broken { line: 1, why });
        }
    }
    Ok(report)
}

fn check(path: &Path, heads: Vec<Head>) -> Result<Checker, AuditError> {
    let file = open(path)?;
    let mut checker = Checker { heads, ..Checker::default() };
    checker
        .read(BufReader::with_capacity(256 * 1024, file))
        .map_err(|source| AuditError::Read { path: path.to_owned(), source })?;
    Ok(checker)
}

/// Checks lines that do not stand in a file.
pub fn verify_lines(lines: impl BufRead) -> io::Result<Report> {
    let mut checker = Checker::default();
    checker.read(lines)?;
    Ok(checker.report)
}

/// Checks lines that go on from `head`: the rest of a log whose beginning was checked before.
pub fn verify_after(head: Head, lines: impl BufRead) -> io::Result<Report> {
    let mut checker = Checker { start: head.clone(), head: Some(head), ..Checker::default() };
    checker.read(lines)?;
    Ok(checker.report)
}

/// Opens a log for reading: nothing that would block or lead elsewhere.
pub(crate) fn open(path: &Path) -> Result<File, AuditError> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let failed = |source: io::Error| AuditError::Open { path: path.to_owned(), source };
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).map_err(|errno| failed(errno.into()))?);
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(AuditError::NotAFile(path.to_owned()));
    }
    Ok(file)
}

/// Checks the files before this one; whether the nearest ends where this one starts, and what was
/// found in each.
///
/// `None` for that when it is not there to be looked at.
fn follow_back(path: &Path, report: &Report, start: &Head) -> (Option<bool>, Vec<Earlier>) {
    let mut found = Vec::new();
    let mut nearest = None;
    let (mut start, mut next) = (start.clone(), report.continues.clone());
    while let Some(continuation) = next {
        // A name only: a log must not make us read files elsewhere.
        let name = Path::new(&continuation.file);
        if name.file_name() != Some(name.as_os_str()) {
            break;
        }
        let Ok(checker) = check(&path.with_file_name(name), vec![]) else { break };
        let mut report = checker.report;
        let ends_there = checker.head.as_ref() == Some(&start);
        if nearest.is_none() {
            nearest = Some(ends_there);
        } else if !ends_there && report.broken.is_none() {
            let why = "the file after it does not go on from its end".to_owned();
            report.broken = Some(Broken { line: checker.number, why });
        }
        // A chain that does not count down would never end.
        let goes_back = ends_there && checker.start.seq < start.seq;
        start = checker.start;
        next = report.continues.filter(|_| goes_back);
        found.push(Earlier {
            file: continuation.file,
            lines: report.lines,
            first_seq: report.first_seq,
            broken: report.broken,
        });
    }
    (nearest, found)
}

#[derive(Default)]
struct Checker {
    report: Report,
    number: u64,
    /// The line before.
    head: Option<Head>,
    /// What the first line goes on from.
    start: Head,
    /// What was noted of the chain elsewhere.
    heads: Vec<Head>,
    /// Bytes since the last line that are no line, where they begin, and whether they are accounted
    /// for.
    pending: Vec<u8>,
    pending_line: u64,
}

/// What of a line is looked at besides its chain.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Members {
    session: String,
    lost: u64,
    damaged: Option<DamagedTail>,
    continues: Option<String>,
    replaces: Option<Head>,
}

#[derive(Deserialize)]
struct DamagedTail {
    bytes: u64,
    sha256: String,
}

impl Checker {
    fn read(&mut self, mut lines: impl BufRead) -> io::Result<()> {
        let mut line = Vec::new();
        while read_line(&mut lines, &mut line)? {
            self.number += 1;
            match unseal(trim(&line)) {
                Some(sealed) => {
                    self.line(&sealed, trim(&line));
                    if !line.ends_with(b"\n") {
                        self.broken(self.number, "the line does not end with a newline");
                    }
                }
                None => self.garbage(&line),
            }
        }
        if !self.pending.is_empty() {
            self.broken(self.pending_line, "the text is not a line of an audit log");
        }
        Ok(())
    }

    fn line(&mut self, sealed: &SealedLine<'_>, line: &[u8]) {
        let members: Option<Members> = serde_json::from_slice(line).ok();
        if !sealed.is_intact() {
            self.broken(self.number, "the line was changed after it was written");
        } else if members.is_none() {
            self.broken(self.number, "the line is not valid JSON");
        }
        let members = members.unwrap_or_default();
        self.account_for(members.damaged);
        self.compare(sealed);
        if members.replaces.is_some() {
            self.report.replaces = members.replaces;
        }
        self.follow(sealed, members.continues);
        self.report.lines += 1;
        self.report.first_seq.get_or_insert(sealed.seq);
        self.report.last_seq = Some(sealed.seq);
        self.report.head = Some(sealed.hash.to_owned());
        self.report.lost += members.lost;
        if !members.session.is_empty() {
            let session = self.report.sessions.entry(members.session).or_default();
            session.lines += 1;
            session.last_seq = sealed.seq;
            sealed.hash.clone_into(&mut session.head);
        }
        self.head = Some(sealed.head());
    }

    /// Compares a line with the one before.
    fn follow(&mut self, sealed: &SealedLine<'_>, continues: Option<String>) {
        let starts = self.head.is_none();
        let before = self
            .head
            .take()
            .unwrap_or_else(|| Head { seq: sealed.seq.saturating_sub(1), hash: sealed.prev.to_owned() });
        if starts {
            self.start = before.clone();
            match continues {
                Some(file) => self.report.continues = Some(Continuation { file, fits: None }),
                None if sealed.prev != ZERO_HASH || sealed.seq != 1 => {
                    self.broken(self.number, "the lines before this one are missing");
                }
                None => {}
            }
        } else if sealed.prev != before.hash {
            self.broken(self.number, "the line does not follow from the one before it");
        } else if Some(sealed.seq) != before.seq.checked_add(1) {
            self.broken(self.number, "the number does not follow from the one before it");
        }
    }

    /// Compares a line with what was noted of it elsewhere.
    fn compare(&mut self, sealed: &SealedLine<'_>) {
        let noted = self.heads.iter().find(|head| head.seq == sealed.seq);
        if noted.is_some_and(|head| head.hash != sealed.hash) {
            self.broken(self.number, "the line is not the one whose hash was noted elsewhere");
        }
    }

    /// Whether the log goes on as far as was noted elsewhere.
    fn check_end(&mut self) {
        let last = self.head.as_ref().map_or(0, |head| head.seq);
        self.report.heads = self.heads.len() as u64;
        let noted = self.heads.iter().map(|head| head.seq).max().unwrap_or_default();
        // A new file has been begun, and was put away again: its start is known from the line
        // before.
        let begins = self.start.clone();
        let other = self.heads.iter().any(|head| head.seq == begins.seq && begins.seq > 0 && head.hash != begins.hash);
        if noted > last {
            let missing = noted - last;
            self.broken(self.number + 1, &format!("the end is missing: {missing} lines, up to number {noted}"));
        } else if other {
            self.broken(1, "the line does not follow from the one whose hash was noted elsewhere");
        }
    }

    fn garbage(&mut self, line: &[u8]) {
        if self.pending.is_empty() {
            self.pending_line = self.number;
        }
        if self.pending.len() as u64 > MAX_LINE_BYTES {
            return;
        }
        self.pending.extend_from_slice(line);
    }

    /// Bytes before a line are accounted for when the line says exactly those were there.
    fn account_for(&mut self, damaged: Option<DamagedTail>) {
        if self.pending.is_empty() {
            return;
        }
        let pending = std::mem::take(&mut self.pending);
        let is_same = |damaged: &DamagedTail, bytes: &[u8]| {
            damaged.bytes == bytes.len() as u64 && damaged.sha256 == sha256_hex(bytes)
        };
        // The newline that ends the damage was written along with the line that tells of it.
        let known = damaged.is_some_and(|damaged| {
            is_same(&damaged, &pending) || pending.strip_suffix(b"\n").is_some_and(|cut| is_same(&damaged, cut))
        });
        if known {
            self.report.damaged.push(Damage { line: self.pending_line, bytes: pending.len() as u64 });
        } else {
            self.broken(self.pending_line, "the text is not a line of an audit log");
        }
    }

    fn broken(&mut self, line: u64, why: &str) {
        self.report.broken_count += 1;
        let earlier = self.report.broken.as_ref().is_some_and(|broken| broken.line <= line);
        if !earlier {
            self.report.broken = Some(Broken { line, why: why.to_owned() });
        }
    }
}

/// Reads up to and with the next newline, or as much as a line can be; false at the end.
pub(crate) fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    Ok(reader.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', line)? > 0)
}

fn trim(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}
