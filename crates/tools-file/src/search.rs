//! Searching one open file for a pattern: which lines match, with context, in bounded memory.

use std::{
    fs::File,
    io::{self, Read},
};

use grep_matcher::{LineTerminator, Matcher as _};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};

use crate::{
    error::FileError,
    text::{is_binary, lossy_line},
    workspace::Cancel,
};

/// Files up to this length are read whole and searched at once.
const WHOLE: u64 = 4 * 1024 * 1024;
/// The longest line that is searched.
const LONGEST_LINE: usize = 64 * 1024 * 1024;

/// What to look for.
#[derive(Debug, Clone)]
pub(crate) struct Query<'a> {
    pub(crate) pattern: &'a str,
    pub(crate) literal: bool,
    pub(crate) case_sensitive: bool,
    /// Lines around each match.
    pub(crate) context: usize,
}

/// A line that matched, or stands beside one that did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) line: u64,
    pub(crate) text: String,
    pub(crate) matched: bool,
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
    line_bytes: usize,
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
    if query.pattern.contains('$') && !query.literal {
        builder.crlf(true);
    } else {
        builder.line_terminator(Some(b'\n'));
    }
    builder.build(query.pattern).map_err(|error| fail(error.to_string()))
}

impl Search {
    pub(crate) fn new(matcher: RegexMatcher, query: &Query<'_>, line_bytes: usize, cancel: Cancel) -> Self {
        let crlf = matcher.line_terminator().is_some_and(|terminator| terminator.is_crlf());
        let searcher = SearcherBuilder::new()
            .line_terminator(if crlf { LineTerminator::crlf() } else { LineTerminator::byte(b'\n') })
            .line_number(true)
            .before_context(query.context)
            .after_context(query.context)
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(LONGEST_LINE))
            .build();
        Self { matcher, searcher, buffer: Vec::new(), line_bytes, cancel }
    }

    /// Searches an open regular file of about `size` bytes; keeps the first `keep` matching lines.
    pub(crate) fn file(&mut self, file: File, size: u64, keep: usize) -> io::Result<Hits> {
        let mut collector = Collector {
            matcher: &self.matcher,
            keep,
            line_bytes: self.line_bytes,
            cancel: &self.cancel,
            found: Hits::default(),
        };
        if size > WHOLE {
            let reader = Interruptible(file, &self.cancel);
            self.searcher.search_reader(&self.matcher, reader, &mut collector)?;
            return Ok(collector.found);
        }
        self.buffer.clear();
        self.buffer.reserve(usize::try_from(size).unwrap_or_default() + 1);
        // It may grow while it is read: what it has grown beyond the bound is left.
        file.take(WHOLE + 1).read_to_end(&mut self.buffer)?;
        if is_binary(&self.buffer) {
            return Ok(Hits { binary: true, ..Hits::default() });
        }
        self.searcher.search_slice(&self.matcher, &self.buffer, &mut collector)?;
        Ok(collector.found)
    }
}

/// Ends reading when nobody waits for the result.
struct Interruptible<'a>(File, &'a Cancel);

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
    keep: usize,
    line_bytes: usize,
    cancel: &'a Cancel,
    found: Hits,
}

impl Collector<'_> {
    fn hit(&self, line: Option<u64>, bytes: &[u8], matched: bool) -> Hit {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        Hit { line: line.unwrap_or_default(), text: self.cut(bytes, matched), matched }
    }

    /// A long line is shown around its match.
    fn cut(&self, bytes: &[u8], matched: bool) -> String {
        let most = self.line_bytes;
        if bytes.len() <= most {
            return lossy_line(bytes).0;
        }
        let found = if matched { self.matcher.find(bytes).ok().flatten() } else { None };
        let start = found.map_or(0, |found| found.start().saturating_sub(most / 4)).min(bytes.len() - most);
        let piece = String::from_utf8_lossy(&bytes[start..start + most]).into_owned();
        let (before, after) = (if start > 0 { "… " } else { "" }, if start + most < bytes.len() { " …" } else { "" });
        format!("{before}{}{after} [line of {} bytes]", piece.trim_matches('\u{fffd}'), bytes.len())
    }
}

impl Sink for Collector<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        if self.cancel.is_cancelled() {
            return Ok(false);
        }
        if self.found.matches < self.keep as u64 {
            let hit = self.hit(found.line_number(), found.bytes(), true);
            self.found.lines.push(hit);
        }
        self.found.matches += 1;
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        // Context after the last line that is kept still belongs to it; context before the next does not.
        let kept = self.found.matches < self.keep as u64
            || (self.found.matches == self.keep as u64
                && matches!(context.kind(), grep_searcher::SinkContextKind::After));
        if kept {
            let hit = self.hit(context.line_number(), context.bytes(), false);
            self.found.lines.push(hit);
        }
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.found = Hits { binary: true, ..Hits::default() };
        Ok(false)
    }
}
