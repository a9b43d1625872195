//! Finds credentials in a text that arrives in pieces, of any length and encoding. Holds back only
//! what later text can affect.

use std::{borrow::Cow, ops::Range};

use crate::finding::{Finding, Heading};
use crate::{SecretRedactor, key_material};

/// Bytes searched at once.
const BLOCK: usize = 256 << 10;
/// Bytes of an incomplete line at which it is split.
const LONG_LINE: usize = 32 << 10;
/// Bytes after a position that are considered; no value is longer.
const AHEAD: usize = 9 << 10;
/// Bytes before a position that are considered, since they may tell what it is.
const BEHIND: usize = 4 << 10;

/// A piece of a text, in order and without gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Text without credentials.
    Clean(&'a [u8]),
    /// A credential; one longer than the searched block comes in several pieces.
    Secret(Finding, &'a [u8]),
}

/// When pieces are emitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pace {
    /// In blocks that depend only on the text, not on the chunks in which it arrived.
    Blocks,
    /// After each complete line.
    Lines,
}

/// Finds credentials in a text that comes in chunks. Holds a bounded part of it.
#[derive(Debug)]
pub struct SecretStream {
    redactor: SecretRedactor,
    pace: Pace,
    bytes: Vec<u8>,
    /// Number of bytes already emitted but kept as context for the rest.
    given: usize,
}

impl SecretStream {
    /// Makes a redactor whose findings do not depend on where the chunks end.
    pub fn new(redactor: SecretRedactor) -> Self {
        Self { redactor, pace: Pace::Blocks, bytes: Vec::new(), given: 0 }
    }

    /// Emits each line as soon as it is complete.
    pub fn live(redactor: SecretRedactor) -> Self {
        Self { pace: Pace::Lines, ..Self::new(redactor) }
    }

    /// Adds more of the text.
    pub fn push(&mut self, mut chunk: &[u8], sink: &mut dyn FnMut(Piece<'_>)) {
        while !chunk.is_empty() {
            let room = (self.given + BLOCK).saturating_sub(self.bytes.len()).max(1);
            let (taken, rest) = chunk.split_at(room.min(chunk.len()));
            self.bytes.extend_from_slice(taken);
            chunk = rest;
            let is_full = self.bytes.len() >= self.given + BLOCK;
            if is_full || (self.pace == Pace::Lines && rest.is_empty()) {
                self.advance(is_full, sink);
            }
        }
    }

    /// Ends the text.
    pub fn finish(mut self, sink: &mut dyn FnMut(Piece<'_>)) {
        self.flush(sink);
    }

    /// Emits all held text, as if the text ended here.
    pub fn flush(&mut self, sink: &mut dyn FnMut(Piece<'_>)) {
        if self.given < self.bytes.len() {
            let text = masked(&self.bytes);
            let findings = self.redactor.find(&text);
            give(&self.bytes, self.given, self.bytes.len(), &findings, sink);
        }
        self.bytes.clear();
        self.given = 0;
    }

    fn advance(&mut self, is_full: bool, sink: &mut dyn FnMut(Piece<'_>)) {
        let fresh = &self.bytes[self.given..];
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let line_end = match self.pace {
            Pace::Blocks => memchr::memrchr(b'\n', fresh),
            Pace::Lines => fresh.iter().rposition(is_end),
        };
        let line_end = line_end.map(|at| self.given + at + 1);
        if line_end.is_none() && !is_full && fresh.len() < LONG_LINE {
            return;
        }
        let text = masked(&self.bytes);
        let mut headings = Vec::new();
        let findings = self.redactor.find_with(&text, &mut |heading| headings.push(heading));
        let ahead = text.floor_char_boundary(text.len().saturating_sub(AHEAD)).max(self.given);
        let mut cut = line_end.unwrap_or(ahead);
        // An incomplete key is held while it may still be one.
        if let Some(begin) = key_material::open(&text)
            && begin < cut
            && !(is_full && begin <= self.given)
        {
            let line = memchr::memrchr(b'\n', &self.bytes[..begin]).map_or(0, |at| at + 1);
            cut = line.max(self.given);
        }
        if let Some(across) = findings.iter().find(|finding| finding.start < cut && finding.end > cut) {
            cut = if across.start > self.given { across.start } else { across.end };
        }
        if cut <= self.given {
            return;
        }
        give(&self.bytes, self.given, cut, &findings, sink);
        let behind = text.floor_char_boundary(cut.saturating_sub(BEHIND));
        let line = match behind {
            0 => 0,
            _ => memchr::memchr(b'\n', &self.bytes[behind..cut]).map_or(behind, |at| behind + at + 1),
        };
        // If the cut is inside a line, enough of the line stays as context.
        let keep = if line < cut {
            line
        } else {
            behind.max(memchr::memrchr(b'\n', &self.bytes[..cut - 1]).map_or(0, |at| at + 1))
        };
        let keep =
            key_material::open(&text[..cut]).map_or(keep, |begin| begin.min(keep).max(cut.saturating_sub(LONG_LINE)));
        let keep = text.floor_char_boundary(keep);
        // Headings stay while more lines below them may follow.
        let is_line = self.bytes[cut - 1] == b'\n';
        let is_open = |heading: &Heading| is_line && heading.line.end <= keep && heading.end >= cut;
        let mut lines: Vec<Range<usize>> = headings.into_iter().filter(is_open).map(|heading| heading.line).collect();
        lines.sort_by_key(|line| line.start);
        let mut kept = Vec::new();
        let mut copied = 0;
        for line in lines {
            kept.extend_from_slice(&self.bytes[line.start.max(copied)..line.end.max(copied)]);
            copied = copied.max(line.end);
        }
        let length = kept.len();
        self.bytes.splice(..keep, kept);
        self.given = cut - keep + length;
    }
}

/// Emits the pieces between two positions.
fn give(bytes: &[u8], from: usize, to: usize, findings: &[Finding], sink: &mut dyn FnMut(Piece<'_>)) {
    let mut at = from;
    for finding in findings.iter().filter(|finding| finding.end > from && finding.start < to) {
        let (start, end) = (finding.start.max(at), finding.end.min(to));
        if start > at {
            sink(Piece::Clean(&bytes[at..start]));
        }
        sink(Piece::Secret(*finding, &bytes[start..end]));
        at = end;
    }
    if at < to {
        sink(Piece::Clean(&bytes[at..to]));
    }
}

/// The bytes as text of the same length: invalid UTF-8 becomes a character that has no meaning in
/// any syntax.
fn masked(bytes: &[u8]) -> Cow<'_, str> {
    const MASK: &str = "\u{1a}";
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(std::iter::repeat_n(MASK, chunk.invalid().len()));
    }
    Cow::Owned(text)
}
