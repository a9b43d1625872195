//! Searches one open file for a pattern: the matching lines with context, in bounded memory.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Seek as _};
use std::path::Path;

use grep_matcher::{LineTerminator, Matcher as _};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};

use crate::cancel::Cancel;
use crate::converted::{Convert, Converted};
use crate::error::FileError;
use crate::legible::{LegibleLines, legible};
use crate::text::{self, Encoding, SNIFF, Transcode, is_binary, lossy_line};
use crate::workspace::Site;

/// Maximum length in bytes of a file that is read whole and searched at once.
const WHOLE: u64 = 4 * 1024 * 1024;
/// Maximum length in bytes of a line that is searched.
const MAX_LINE_LEN: usize = 64 * 1024 * 1024;

/// The pattern and its options.
#[derive(Debug, Clone)]
pub(crate) struct Query<'a> {
    pub(crate) pattern: &'a str,
    pub(crate) literal: bool,
    pub(crate) case_sensitive: bool,
    /// Whether a match may span lines.
    pub(crate) span: Span,
    /// Number of lines around each match.
    pub(crate) context: usize,
}

impl Query<'_> {
    /// Whether the pattern mentions carriage returns. For other patterns `CRLF` is one line break,
    /// and `.` or `[^a-z]` must not match half of it.
    fn names_carriage_returns(&self) -> bool {
        const CODES: [&str; 4] = ["\\x0d", "\\x{0d}", "\\x{d}", "\\u000d"];
        self.pattern.contains('\r')
            || (!self.literal
                && (has_escape(self.pattern, b'r')
                    || CODES.iter().any(|code| self.pattern.to_ascii_lowercase().contains(code))))
    }
}

/// The range over which one match may extend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Span {
    /// Within one line.
    Line,
    /// Over line breaks that the pattern contains.
    Breaks,
    /// Over any lines: `.` matches line breaks too.
    Any,
}

impl Span {
    /// The span that a pattern needs.
    pub(crate) fn of(pattern: &str, literal: bool, multiline: bool) -> Self {
        let names_a_break = pattern.contains('\n') || (!literal && has_escape(pattern, b'n'));
        match (multiline, names_a_break) {
            (true, _) if !literal => Self::Any,
            (_, true) => Self::Breaks,
            _ => Self::Line,
        }
    }
}

/// Whether a regular expression contains this letter after a backslash that is not itself escaped.
fn has_escape(pattern: &str, letter: u8) -> bool {
    let mut bytes = pattern.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'\\' && bytes.next() == Some(letter) {
            return true;
        }
    }
    false
}

/// A matching line or a context line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) line: u64,
    pub(crate) text: String,
    pub(crate) matched: bool,
}

/// Limits for each file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SearchLimits {
    /// Maximum number of matching lines to keep.
    pub(crate) lines: usize,
    /// Number of matches after which the search stops.
    pub(crate) most: u64,
}

/// The result for one file.
#[derive(Debug, Default)]
pub(crate) struct Hits {
    pub(crate) lines: Vec<Hit>,
    /// Number of matching lines, including those not kept.
    pub(crate) matches: u64,
    pub(crate) binary: bool,
}

/// Searches file after file with one compiled pattern and its own buffers.
pub(crate) struct Search {
    matcher: RegexMatcher,
    searcher: Searcher,
    line_chars: usize,
    span: Span,
    keeps_carriage_returns: bool,
    buffer: Vec<u8>,
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
    if query.span == Span::Line {
        builder.line_terminator(Some(b'\n'));
    } else {
        builder.dot_matches_new_line(query.span == Span::Any);
    }
    builder.build(query.pattern).map_err(|error| fail(error.to_string()))
}

impl Search {
    pub(crate) fn new(matcher: RegexMatcher, query: &Query<'_>, line_chars: usize, cancel: Cancel) -> Self {
        let searcher = SearcherBuilder::new()
            .line_terminator(LineTerminator::byte(b'\n'))
            .line_number(true)
            .multi_line(query.span != Span::Line)
            .before_context(query.context)
            .after_context(query.context)
            // The first bytes decide whether a file is binary. Detection during the search would
            // depend on how far it reads and differ from page to page.
            .binary_detection(BinaryDetection::none())
            .heap_limit(Some(MAX_LINE_LEN))
            .build();
        let keeps_carriage_returns = query.names_carriage_returns();
        Self { matcher, searcher, line_chars, span: query.span, keeps_carriage_returns, buffer: Vec::new(), cancel }
    }

    /// Searches an open regular file of about `bytes` bytes.
    ///
    /// A file with a match is searched again without its credentials, and the second result counts.
    /// Otherwise a pattern could reveal a credential by matching it.
    pub(crate) fn file(
        &mut self,
        file: File,
        (path, bytes): (&Path, u64),
        take: SearchLimits,
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
            let cancel = self.cancel.clone();
            let text = || {
                (&file).rewind()?;
                io::Result::Ok(decoded(&head, Interruptible(&file, &cancel)))
            };
            let found = self.stream(text()?, take)?;
            if found.matches == 0 || !site.hides() {
                return Ok(found);
            }
            return self.stream(site.hiding(path, text()?), take);
        }
        self.buffer.clear();
        self.buffer.reserve(usize::try_from(bytes).unwrap_or_default() + 1);
        // The file may grow meanwhile; data beyond the limit is ignored.
        file.take(whole + 1).read_to_end(&mut self.buffer)?;
        if is_binary(&self.buffer) {
            return Ok(Hits { binary: true, ..Hits::default() });
        }
        if is_wide(&self.buffer) {
            let mut text = Vec::new();
            decoded(&self.buffer, self.buffer.as_slice()).read_to_end(&mut text)?;
            self.buffer = text;
        }
        let text = std::mem::take(&mut self.buffer);
        let found = self.shown(&legible(&text), path, take, site);
        self.buffer = text;
        found
    }

    /// Searches a text, and again without its credentials if something matches.
    fn shown(&mut self, text: &[u8], path: &Path, take: SearchLimits, site: &Site) -> io::Result<Hits> {
        let found = self.slice(text, take)?;
        if found.matches == 0 || !site.hides() {
            return Ok(found);
        }
        let mut hidden = Vec::with_capacity(text.len());
        site.hiding(path, text).read_to_end(&mut hidden)?;
        if hidden == text { Ok(found) } else { self.slice(&hidden, take) }
    }

    fn stream(&mut self, text: impl Read, take: SearchLimits) -> io::Result<Hits> {
        let Self { matcher, searcher, line_chars, cancel, .. } = self;
        let found = Hits::default();
        let mut collector = Collector { matcher, take, line_chars: *line_chars, cancel, found };
        let searched = if self.keeps_carriage_returns {
            searcher.search_reader(&*matcher, text, &mut collector)
        } else {
            searcher.search_reader(&*matcher, Converted::new(text, PlainBreaks::default()), &mut collector)
        };
        match searched {
            Ok(()) => Ok(collector.found),
            // A line that is too long is the only error that the searcher creates itself.
            Err(error) if error.kind() == io::ErrorKind::Other && error.raw_os_error().is_none() => {
                Err(io::ErrorKind::FileTooLarge.into())
            }
            Err(error) => Err(error),
        }
    }

    fn slice(&mut self, text: &[u8], take: SearchLimits) -> io::Result<Hits> {
        let Self { matcher, searcher, line_chars, cancel, .. } = self;
        let found = Hits::default();
        let mut collector = Collector { matcher, take, line_chars: *line_chars, cancel, found };
        let text = if self.keeps_carriage_returns { Cow::Borrowed(text) } else { without_carriage_returns(text) };
        searcher.search_slice(&*matcher, &text, &mut collector)?;
        Ok(collector.found)
    }
}

/// Whether a file with this beginning is text of two-byte units, in which a line break is not a
/// single byte.
fn is_wide(head: &[u8]) -> bool {
    matches!(Encoding::announced(head), Some((Encoding::Utf16Le | Encoding::Utf16Be, _)))
}

/// A file that begins with `head`, as it is shown and with single-byte line breaks.
fn decoded<'a>(head: &[u8], text: impl Read + 'a) -> Box<dyn Read + 'a> {
    match Encoding::announced(head) {
        Some((encoding @ (Encoding::Utf16Le | Encoding::Utf16Be), _)) => {
            Box::new(Converted::new(text, Transcode::new(encoding)))
        }
        _ => Box::new(Converted::new(text, LegibleLines::default())),
    }
}

/// Turns `CRLF` into a plain line break, which does not change line numbers.
fn without_carriage_returns(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut breaks = memchr::memmem::find_iter(bytes, b"\r\n").peekable();
    if breaks.peek().is_none() {
        return Cow::Borrowed(bytes);
    }
    let (mut from, mut plain) = (0, Vec::with_capacity(bytes.len()));
    for at in breaks {
        plain.extend_from_slice(&bytes[from..at]);
        from = at + 1;
    }
    plain.extend_from_slice(&bytes[from..]);
    Cow::Owned(plain)
}

/// Does the same for a text that arrives in pieces.
#[derive(Default)]
struct PlainBreaks {
    /// Whether a trailing carriage return is held back.
    is_held: bool,
}

impl Convert for PlainBreaks {
    fn convert(&mut self, piece: &[u8], output: &mut Vec<u8>) {
        let mut text = if self.is_held { vec![b'\r'] } else { Vec::new() };
        text.extend_from_slice(piece);
        self.is_held = !piece.is_empty() && text.pop_if(|last| *last == b'\r').is_some();
        output.extend_from_slice(&without_carriage_returns(&text));
    }
}

/// Ends reading when the call is cancelled.
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
    take: SearchLimits,
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

    /// Cuts a long line around its match. A raw NUL would end the text for some readers.
    fn cut(&self, bytes: &[u8], matched: bool) -> String {
        let most = self.line_chars;
        if bytes.len() <= most {
            return printable(bytes);
        }
        let found = if matched { self.matcher.find(bytes).ok().flatten() } else { None };
        let start = found.map_or(0, |found| back(bytes, found.start(), most / 4));
        let end = start + text::prefix(&bytes[start..], most);
        // Moves the start back, so that the part has full length when the match is near the end.
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

/// Offset of the byte `chars` characters before the one at `at`.
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
        // A match over several lines counts as that many matching lines.
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
        // Context after the last kept line belongs to that line; context before the next one does
        // not.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns a few bytes per read.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let (now, later) = self.0.split_at(self.1.min(self.0.len()).min(buffer.len()));
            buffer[..now.len()].copy_from_slice(now);
            self.0 = later;
            Ok(now.len())
        }
    }

    proptest! {
        #[test]
        fn line_breaks_are_made_plain_wherever_a_text_is_cut(text in "[a\r\n]{0,40}", piece in 1..5_usize) {
            let mut plain = String::new();
            Converted::new(Slow(text.as_bytes(), piece), PlainBreaks::default()).read_to_string(&mut plain).unwrap();
            prop_assert_eq!(&plain, &text.replace("\r\n", "\n"));
            prop_assert_eq!(without_carriage_returns(text.as_bytes()), plain.as_bytes());
        }
    }
}
