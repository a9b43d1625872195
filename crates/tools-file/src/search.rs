//! Searching one open file for a pattern: which lines match, with context, in bounded memory.

use std::{
    fs::File,
    io::{self, Read, Seek as _},
    path::Path,
};

use grep_matcher::{LineTerminator, Matcher as _};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};

use crate::{
    cancel::Cancel,
    error::FileError,
    text::{self, SNIFF, is_binary, lossy_line},
    workspace::Site,
};

/// Files up to this length are read whole and searched at once.
const WHOLE: u64 = 4 * 1024 * 1024;
/// The longest line that is searched.
const MAX_LINE_LEN: usize = 64 * 1024 * 1024;

/// What to look for.
#[derive(Debug, Clone)]
pub(crate) struct Query<'a> {
    pub(crate) pattern: &'a str,
    pub(crate) literal: bool,
    pub(crate) case_sensitive: bool,
    /// Whether a match may span lines.
    pub(crate) span: Span,
    /// Lines around each match.
    pub(crate) context: usize,
}

/// How far one match may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Span {
    /// Within one line.
    Line,
    /// Over line breaks that the pattern names.
    Breaks,
    /// Over any lines: `.` stands for line breaks too.
    Any,
}

impl Span {
    /// What a pattern needs that may be meant to match more than a line.
    pub(crate) fn of(pattern: &str, literal: bool, multiline: bool) -> Self {
        let names_a_break = pattern.contains('\n') || (!literal && has_escape(pattern, b'n'));
        match (multiline, names_a_break) {
            (true, _) if !literal => Self::Any,
            (_, true) => Self::Breaks,
            _ => Self::Line,
        }
    }
}

/// Whether a regular expression holds this letter behind a backslash that is not itself escaped.
fn has_escape(pattern: &str, letter: u8) -> bool {
    let mut bytes = pattern.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'\\' && bytes.next() == Some(letter) {
            return true;
        }
    }
    false
}

/// A line that matched, or stands beside one that did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) line: u64,
    pub(crate) text: String,
    pub(crate) matched: bool,
}

/// What is wanted of each file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Take {
    /// Matching lines to keep.
    pub(crate) lines: usize,
    /// Matches after which no more are looked for.
    pub(crate) most: u64,
}

/// What one file gave.
#[derive(Debug, Default)]
pub(crate) struct Hits {
    pub(crate) lines: Vec<Hit>,
    /// Lines that matched, also those that were not kept.
    pub(crate) matches: u64,
    pub(crate) binary: bool,
}

/// Searches file after file with one compiled pattern and its own buffers.
pub(crate) struct Search {
    matcher: RegexMatcher,
    searcher: Searcher,
    buffer: Vec<u8>,
    line_chars: usize,
    span: Span,
    cancel: Cancel,
}

/// Compiles a pattern.
///
/// # Errors
/// `Pattern`, with the parser's explanation.
pub(crate) fn compile(query: &Query<'_>) -> Result<RegexMatcher, FileError> {
    let fail = |problem: String| FileError::Pattern {
        what: "regular expression",
        pattern: query.pattern.chars().take(200).collect(),
        problem,
    };
    if query.pattern.is_empty() {
        return Err(fail("it is empty and would match every line".into()));
    }
    let mut builder = RegexMatcherBuilder::new();
    builder
        .case_insensitive(!query.case_sensitive)
        .fixed_strings(query.literal)
        .multi_line(true)
        .size_limit(16 * 1024 * 1024);
    // `$` must match before CRLF too; without it the plain terminator searches faster.
    if query.span != Span::Line {
        // Line endings are made alike before such a search.
        builder.dot_matches_new_line(query.span == Span::Any);
    } else if query.pattern.contains('$') && !query.literal {
        builder.crlf(true);
    } else {
        builder.line_terminator(Some(b'\n'));
    }
    builder.build(query.pattern).map_err(|error| fail(error.to_string()))
}

impl Search {
    pub(crate) fn new(matcher: RegexMatcher, query: &Query<'_>, line_chars: usize, cancel: Cancel) -> Self {
        let crlf = matcher.line_terminator().is_some_and(|terminator| terminator.is_crlf());
        let searcher = SearcherBuilder::new()
            .line_terminator(if crlf { LineTerminator::crlf() } else { LineTerminator::byte(b'\n') })
            .line_number(true)
            .multi_line(query.span != Span::Line)
            .before_context(query.context)
            .after_context(query.context)
            // Whether a file is binary is decided by its first bytes: what is decided by how far a
            // search comes differs from page to page.
            .binary_detection(BinaryDetection::none())
            .heap_limit(Some(MAX_LINE_LEN))
            .build();
        Self { matcher, searcher, buffer: Vec::new(), line_chars, span: query.span, cancel }
    }

    /// Searches an open regular file of about `bytes` bytes.
    ///
    /// A file in which something matches is searched again without its credentials, and that
    /// counts: a pattern that matches a credential would say what it is.
    pub(crate) fn file(
        &mut self,
        file: File,
        (path, bytes): (&Path, u64),
        take: Take,
        site: &Site,
    ) -> io::Result<Hits> {
        let whole = if self.span == Span::Line { WHOLE } else { MAX_LINE_LEN as u64 };
        if bytes > whole {
            if self.span != Span::Line {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            let mut head = Vec::with_capacity(SNIFF);
            (&file).take(SNIFF as u64).read_to_end(&mut head)?;
            if is_binary(&head) {
                return Ok(Hits { binary: true, ..Hits::default() });
            }
            (&file).rewind()?;
            let found = self.stream(Interruptible(&file, &self.cancel.clone()), take)?;
            if found.matches == 0 || !site.hides() {
                return Ok(found);
            }
            (&file).rewind()?;
            let cancel = self.cancel.clone();
            return self.stream(site.hiding(path, Interruptible(&file, &cancel)), take);
        }
        self.buffer.clear();
        self.buffer.reserve(usize::try_from(bytes).unwrap_or_default() + 1);
        // It may grow while it is read: what it has grown beyond the bound is left.
        file.take(whole + 1).read_to_end(&mut self.buffer)?;
        if is_binary(&self.buffer) {
            return Ok(Hits { binary: true, ..Hits::default() });
        }
        if self.span != Span::Line {
            without_carriage_returns(&mut self.buffer);
        }
        let found = self.slice(take)?;
        if found.matches == 0 || !site.hides() {
            return Ok(found);
        }
        let mut hidden = Vec::with_capacity(self.buffer.len());
        site.hiding(path, self.buffer.as_slice()).read_to_end(&mut hidden)?;
        if hidden == self.buffer {
            return Ok(found);
        }
        self.buffer = hidden;
        self.slice(take)
    }

    fn stream(&mut self, text: impl Read, take: Take) -> io::Result<Hits> {
        let Self { matcher, searcher, line_chars, cancel, .. } = self;
        let found = Hits::default();
        let mut collector = Collector { matcher, take, line_chars: *line_chars, cancel, found };
        searcher.search_reader(&*matcher, text, &mut collector)?;
        Ok(collector.found)
    }

    fn slice(&mut self, take: Take) -> io::Result<Hits> {
        let Self { matcher, searcher, buffer, line_chars, cancel, .. } = self;
        let found = Hits::default();
        let mut collector = Collector { matcher, take, line_chars: *line_chars, cancel, found };
        searcher.search_slice(&*matcher, buffer, &mut collector)?;
        Ok(collector.found)
    }
}

/// Makes `CRLF` a plain line break, which changes no line's number.
fn without_carriage_returns(bytes: &mut Vec<u8>) {
    if memchr::memmem::find(bytes, b"\r\n").is_none() {
        return;
    }
    let mut previous_kept = 0;
    let mut kept = Vec::with_capacity(bytes.len());
    for at in memchr::memmem::find_iter(bytes, b"\r\n") {
        kept.extend_from_slice(&bytes[previous_kept..at]);
        previous_kept = at + 1;
    }
    kept.extend_from_slice(&bytes[previous_kept..]);
    *bytes = kept;
}

/// Ends reading when nobody waits for the result.
struct Interruptible<'a>(&'a File, &'a Cancel);

impl Read for Interruptible<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.1.is_cancelled() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.0.read(buffer)
    }
}

struct Collector<'a> {
    matcher: &'a RegexMatcher,
    take: Take,
    line_chars: usize,
    cancel: &'a Cancel,
    found: Hits,
}

impl Collector<'_> {
    fn hit(&self, line: Option<u64>, bytes: &[u8], matched: bool) -> Hit {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        Hit { line: line.unwrap_or_default(), text: self.cut(bytes, matched), matched }
    }

    /// A long line is shown around its match. As in `read`, a raw NUL would end the text for some
    /// readers.
    fn cut(&self, bytes: &[u8], matched: bool) -> String {
        let most = self.line_chars;
        if bytes.len() <= most {
            return printable(bytes);
        }
        let found = if matched { self.matcher.find(bytes).ok().flatten() } else { None };
        let start = found.map_or(0, |found| back(bytes, found.start(), most / 4));
        let end = start + text::prefix(&bytes[start..], most);
        // So that the piece is full also when the match stands near the end.
        let start = if end == bytes.len() { back(bytes, end, most) } else { start };
        if (start, end) == (0, bytes.len()) {
            return printable(bytes);
        }
        let piece = printable(&bytes[start..end]);
        let (before, after) = (if start > 0 { "… " } else { "" }, if end < bytes.len() { " …" } else { "" });
        format!("{before}{piece}{after} [line of {} bytes]", bytes.len())
    }
}

fn printable(bytes: &[u8]) -> String {
    let line = lossy_line(bytes).0;
    if line.contains('\0') { line.replace('\0', "\u{2400}") } else { line }
}

/// The byte `chars` characters before the one at `at`.
fn back(bytes: &[u8], at: usize, chars: usize) -> usize {
    let starts = bytes[..at].iter().enumerate().rev().filter(|(_, byte)| text::begins_character(**byte));
    chars.checked_sub(1).map_or(at, |chars| starts.map(|(at, _)| at).nth(chars).unwrap_or(0))
}

impl Sink for Collector<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        if self.cancel.is_cancelled() {
            return Ok(false);
        }
        // A match over several lines is that many matching lines.
        for (line, bytes) in (found.line_number().unwrap_or_default()..).zip(found.lines()) {
            if self.found.matches < self.take.lines as u64 {
                let hit = self.hit(Some(line), bytes, true);
                self.found.lines.push(hit);
            }
            self.found.matches += 1;
        }
        Ok(self.found.matches <= self.take.most)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        // Context after the last line that is kept still belongs to it; context before the next
        // does not.
        let kept = self.found.matches < self.take.lines as u64
            || (self.found.matches == self.take.lines as u64
                && matches!(context.kind(), grep_searcher::SinkContextKind::After));
        if kept {
            let hit = self.hit(context.line_number(), context.bytes(), false);
            self.found.lines.push(hit);
        }
        Ok(true)
    }
}
