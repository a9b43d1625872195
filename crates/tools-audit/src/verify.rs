//! Checks a log from its first line to its last for changes, missing lines and its end.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;

use serde::{Deserialize, Serialize};
use tools_core::sha256_hex;

use crate::chain::{SealedLine, unseal};
use crate::{AuditError, Head, ZERO_HASH, noted_head};

/// Maximum length in bytes of a line: a longer one was not written by us, and is not read into
/// memory.
const MAX_LINE_BYTES: u64 = 16 * 1024 * 1024;

/// Result of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Number of chain lines read.
    pub lines: u64,
    /// Number of the first line in the chain.
    pub first_seq: Option<u64>,
    /// Number of the last line in the chain.
    pub last_seq: Option<u64>,
    /// The hash of the last line.
    pub head: Option<String>,
    /// Lines by session.
    pub sessions: BTreeMap<String, SessionLines>,
    /// The first place where the chain is broken.
    pub broken: Option<Broken>,
    /// Number of such places.
    pub broken_count: u64,
    /// Interrupted writes that the following line mentions: neither part of the chain nor a breach
    /// of it.
    pub damaged: Vec<Damage>,
    /// Number of calls that could not be recorded, according to later lines.
    pub lost: u64,
    /// The file that this one continues; `None` for the first of its chain.
    pub continues: Option<Continuation>,
    /// The earlier files that exist, newest first.
    pub earlier: Vec<Earlier>,
    /// The earlier chain in this place, which was removed as a whole.
    pub replaces: Option<Head>,
    /// Number of heads noted elsewhere with which the log was compared.
    pub heads: u64,
}

impl Report {
    /// Whether every line is unchanged and none is missing.
    pub fn is_intact(&self) -> bool {
        self.broken.is_none() && self.earlier.iter().all(|file| file.broken.is_none())
    }
}

/// An earlier file of the same chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Earlier {
    /// Its name, in the same folder.
    pub file: String,
    /// Number of chain lines read.
    pub lines: u64,
    /// Number of the first line in the chain.
    pub first_seq: Option<u64>,
    /// The first place where the chain is broken.
    pub broken: Option<Broken>,
}

/// The lines of one session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SessionLines {
    /// Number of lines.
    pub lines: u64,
    /// Number of the last line in the chain.
    pub last_seq: u64,
    /// Hash of the last line: the head of the session.
    pub head: String,
}

/// A place where the chain is broken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Broken {
    /// Line number in the file, from 1.
    pub line: u64,
    /// The problem, as a sentence without a period.
    pub why: String,
}

/// An interrupted write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// Line number in the file where it begins, from 1.
    pub line: u64,
    /// Number of bytes that it left.
    pub bytes: u64,
}

/// Reference of a file to the one that it continues.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Continuation {
    /// The name of the earlier file, in the same folder.
    pub file: String,
    /// Whether its last line is the one that this file continues; `None` if that file cannot be
    /// read.
    pub fits: Option<bool>,
}

/// Checks a file and the files that it continues, and that it reaches at least the head noted
/// beside it.
///
/// # Errors
/// When it cannot be opened or read, or is not a regular file. Problems of its content are in the
/// report.
pub fn verify(path: &Path) -> Result<Report, AuditError> {
    verify_with(path, &[])
}

/// As [`verify()`], and checks that the log holds the lines of `heads`, which were noted elsewhere.
///
/// # Errors
/// As [`verify()`].
pub fn verify_with(path: &Path, heads: &[Head]) -> Result<Report, AuditError> {
    // Read before the log, so that the noted head cannot be ahead of it.
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
            // The problem is at the first line: all other problems come later.
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

/// Checks lines that are not in a file.
pub fn verify_lines(lines: impl BufRead) -> io::Result<Report> {
    let mut checker = Checker::default();
    checker.read(lines)?;
    Ok(checker.report)
}

/// Checks lines that continue from `head`: the rest of a log whose beginning was checked before.
pub fn verify_after(head: Head, lines: impl BufRead) -> io::Result<Report> {
    let mut checker = Checker { start: head.clone(), head: Some(head), ..Checker::default() };
    checker.read(lines)?;
    Ok(checker.report)
}

/// Opens a log for reading; refuses anything but a regular file, and never blocks.
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

/// Checks the earlier files. Returns whether the nearest one ends where this one starts, and the
/// results for each.
///
/// The former is `None` if that file cannot be read.
fn follow_back(path: &Path, report: &Report, start: &Head) -> (Option<bool>, Vec<Earlier>) {
    let mut found = Vec::new();
    let mut nearest = None;
    let (mut start, mut next) = (start.clone(), report.continues.clone());
    while let Some(continuation) = next {
        // Only a plain name: a log must not make us read files elsewhere.
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
        // Without decreasing numbers the loop might never end.
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
    /// The previous line.
    head: Option<Head>,
    /// The head that the first line continues.
    start: Head,
    /// Heads of the chain noted elsewhere.
    heads: Vec<Head>,
    /// Bytes since the last line that are not a line, and the line number where they begin.
    pending: Vec<u8>,
    pending_line: u64,
}

/// Members of a line that are checked besides the chain.
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

    /// Compares a line with the previous one.
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

    /// Compares a line with its head noted elsewhere.
    fn compare(&mut self, sealed: &SealedLine<'_>) {
        let noted = self.heads.iter().find(|head| head.seq == sealed.seq);
        if noted.is_some_and(|head| head.hash != sealed.hash) {
            self.broken(self.number, "the line is not the one whose hash was noted elsewhere");
        }
    }

    /// Checks that the log reaches the heads noted elsewhere.
    fn check_end(&mut self) {
        let last = self.head.as_ref().map_or(0, |head| head.seq);
        self.report.heads = self.heads.len() as u64;
        let noted = self.heads.iter().map(|head| head.seq).max().unwrap_or_default();
        // A new file was begun and removed again: its start is known from the previous line.
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

    /// Accepts the bytes before a line if the line describes exactly these.
    fn account_for(&mut self, damaged: Option<DamagedTail>) {
        if self.pending.is_empty() {
            return;
        }
        let pending = std::mem::take(&mut self.pending);
        let is_same = |damaged: &DamagedTail, bytes: &[u8]| {
            damaged.bytes == bytes.len() as u64 && damaged.sha256 == sha256_hex(bytes)
        };
        // The newline after the damage was written together with the line that mentions it.
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

/// Reads up to and including the next newline, or to the maximum length of a line; false at the
/// end.
pub(crate) fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    Ok(reader.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', line)? > 0)
}

fn trim(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}
