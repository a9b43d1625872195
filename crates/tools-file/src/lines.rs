//! Reads a window of lines from a file of any length in bounded memory, and counts the lines.

use std::io::{self, Read};

use memchr::{memchr, memchr_iter};

use crate::{cancel::Cancel, error::FileError, text::prefix};

/// The requested window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ask {
    /// Number of lines to skip.
    pub(crate) offset: u64,
    /// Number of lines to show.
    pub(crate) limit: u64,
    /// Maximum number of characters shown per line.
    pub(crate) line_chars: usize,
    /// Maximum number of bytes shown of all lines.
    pub(crate) total_bytes: usize,
    /// Apparent size of the file in bytes.
    pub(crate) size: u64,
    /// Maximum number of bytes after the window in which lines are still counted. It grows with
    /// what came before the window, so the cost depends on the window and not on the file.
    pub(crate) counted: u64,
}

/// The window that was read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Window {
    /// The shown parts of the lines, one after the other, without line breaks.
    text: Vec<u8>,
    lines: Vec<Line>,
    /// The number of lines, as far as they were counted.
    pub(crate) total: u64,
    /// Whether lines were counted to the end of the file.
    pub(crate) complete: bool,
    /// Whether the byte limit ended the window before it had all its lines.
    pub(crate) full: bool,
}

#[derive(Debug, PartialEq, Eq)]
struct Line {
    /// End of the line's shown part in the text.
    end: usize,
    /// Length of the whole line in bytes.
    length: usize,
}

impl Window {
    /// The shown text of all lines.
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Number of lines shown.
    pub(crate) fn shown(&self) -> u64 {
        self.lines.len() as u64
    }

    /// For each line, its range in the text and its length in the file without the line break.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (std::ops::Range<usize>, usize)> {
        let starts = std::iter::once(0).chain(self.lines.iter().map(|line| line.end));
        starts.zip(&self.lines).map(|(start, line)| (start..line.end, line.length))
    }
}

/// Size of the first read in bytes; later reads are larger, up to the maximum.
const FIRST_READ_BYTES: usize = 8 * 1024;
const LARGE: usize = 128 * 1024;

/// Reads `reader` to the end of the window, and counts further lines as far as that is cheap.
///
/// # Errors
/// `Cancelled`, or a read error converted by `fail`.
pub(crate) fn read_window(
    mut reader: impl Read,
    ask: Ask,
    cancel: &Cancel,
    fail: impl Fn(io::Error) -> FileError,
) -> Result<Window, FileError> {
    let mut scan = Scan { ask, window: Window::default(), open: None, shown: 0, dangling: false };
    // Most files are small: zeroing a large buffer for every call would cost more than reading
    // them.
    let mut buffer = vec![0; FIRST_READ_BYTES];
    let (mut passed, mut end) = (0_u64, None);
    loop {
        cancel.check()?;
        let length = match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(fail(error)),
        };
        scan.take(&buffer[..length]);
        passed += length as u64;
        if length == buffer.len() && length < LARGE {
            buffer.resize(length * 4, 0);
        }
        if scan.is_done() {
            let end = *end.get_or_insert_with(|| passed.saturating_add(ask.counted.max(passed / 4)));
            // Counting does not start if it cannot reach the end, and stops if the file keeps
            // growing.
            if ask.size.max(passed) > end {
                return Ok(scan.window);
            }
        }
    }
    scan.finish();
    Ok(scan.window)
}

struct Scan {
    ask: Ask,
    window: Window,
    /// The unfinished line of the window: its start in the text, and its number of bytes so far.
    open: Option<(usize, usize)>,
    shown: usize,
    /// Whether the last byte seen was not a line break.
    dangling: bool,
}

impl Scan {
    fn is_done(&self) -> bool {
        self.window.full || self.window.total >= self.ask.offset.saturating_add(self.ask.limit)
    }

    fn take(&mut self, mut chunk: &[u8]) {
        if self.window.total < self.ask.offset {
            chunk = self.skip(chunk);
        }
        while !chunk.is_empty() {
            if self.is_done() {
                self.count(chunk);
                return;
            }
            let newline = memchr(b'\n', chunk);
            let (line, rest) = match newline {
                Some(at) => (&chunk[..at], &chunk[at + 1..]),
                None => (chunk, &chunk[chunk.len()..]),
            };
            let (start, length) = self.open.unwrap_or((self.window.text.len(), 0));
            let room = self.ask.line_chars.saturating_mul(4).saturating_sub(self.window.text.len() - start);
            self.window.text.extend_from_slice(&line[..line.len().min(room)]);
            self.open = Some((start, length + line.len()));
            self.dangling = newline.is_none();
            if newline.is_some() {
                self.close();
                self.window.total += 1;
            }
            chunk = rest;
        }
    }

    /// Skips lines before the window; returns the rest.
    fn skip<'a>(&mut self, chunk: &'a [u8]) -> &'a [u8] {
        let wanted = self.ask.offset - self.window.total;
        let breaks = memchr_iter(b'\n', chunk).count() as u64; // counting is much faster than stopping at each
        if breaks < wanted {
            self.count(chunk);
            return &[];
        }
        let last = usize::try_from(wanted - 1).ok().and_then(|n| memchr_iter(b'\n', chunk).nth(n));
        self.window.total = self.ask.offset;
        self.dangling = false;
        last.map_or(&[], |at| &chunk[at + 1..])
    }

    fn count(&mut self, chunk: &[u8]) {
        self.window.total += memchr_iter(b'\n', chunk).count() as u64;
        self.dangling = chunk.last().is_some_and(|&byte| byte != b'\n');
    }

    fn close(&mut self) {
        let Some((start, mut length)) = self.open.take() else { return };
        let text = &mut self.window.text;
        if text.len() - start == length && text[start..].last() == Some(&b'\r') {
            text.pop();
            length -= 1;
        }
        text.truncate(start + prefix(&text[start..], self.ask.line_chars));
        self.shown += text.len() - start + 8;
        if self.shown > self.ask.total_bytes && !self.window.lines.is_empty() {
            text.truncate(start);
            self.window.full = true;
            return;
        }
        self.window.lines.push(Line { end: text.len(), length });
    }

    fn finish(&mut self) {
        if self.dangling {
            self.close();
            self.window.total += 1;
        }
        self.window.complete = true;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn window(text: &[u8], ask: Ask, chunk: usize) -> Window {
        struct Slow<'a>(&'a [u8], usize);
        impl Read for Slow<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let length = self.0.len().min(self.1).min(buffer.len());
                buffer[..length].copy_from_slice(&self.0[..length]);
                self.0 = &self.0[length..];
                Ok(length)
            }
        }
        read_window(Slow(text, chunk), ask, &Cancel::never(), |_| FileError::Lost).unwrap()
    }

    fn ask(offset: u64, limit: u64) -> Ask {
        Ask { offset, limit, line_chars: 10, total_bytes: 1000, size: 0, counted: 1_000_000 }
    }

    fn texts(found: &Window) -> Vec<String> {
        found.lines().map(|(range, _)| String::from_utf8_lossy(&found.text()[range]).into_owned()).collect()
    }

    fn check(text: &str, offset: u64, limit: u64, lines: &[&str], total: u64) {
        let found = window(text.as_bytes(), ask(offset, limit), 3);
        let texts = texts(&found);
        assert_eq!(
            (texts, found.total, found.complete),
            (lines.iter().map(ToString::to_string).collect(), total, true)
        );
    }

    #[test]
    fn windows() {
        check("l1\nl2\nl3\n", 1, 1, &["l2"], 3);
        check("l1\nl2\nl3", 1, 5, &["l2", "l3"], 3);
        check("l1\r\nl2\r\n", 0, 5, &["l1", "l2"], 2);
        check("\n", 0, 5, &[""], 1);
        check("", 0, 5, &[], 0);
        check("l1\nl2\n", 2, 5, &[], 2);
        check("l1\nl2\n", u64::MAX, u64::MAX, &[], 2);
        check("l1\nl2\n", 0, 0, &[], 2);
        check("0123456789abcdef\nx\n", 0, 9, &["0123456789", "x"], 2);
        check(&"я".repeat(10), 0, 9, &["яяяяяяяяяя"], 1);
        check(&"я".repeat(11), 0, 9, &["яяяяяяяяяя"], 1);
        check(&"🦀".repeat(30), 0, 9, &["🦀🦀🦀🦀🦀🦀🦀🦀🦀🦀"], 1);
    }

    #[test]
    fn a_window_ends_when_it_has_enough_bytes() {
        let found = window("x\n".repeat(1000).as_bytes(), ask(0, 1000), 100);
        assert!(found.full && found.lines.len() < 120 && found.total == 1000);
    }

    #[test]
    fn lines_are_counted_to_the_end_only_where_that_is_cheap() {
        let text = "x\n".repeat(100_000);
        let counts = |offset: u64, size: u64| {
            let ask = Ask { size, counted: 50_000, ..ask(offset, 10) };
            let found = window(text.as_bytes(), ask, 4096);
            (found.complete, found.shown())
        };
        assert_eq!(counts(0, 200_000), (false, 10));
        assert_eq!(counts(50_000, 200_000), (false, 10));
        assert_eq!(counts(80_000, 200_000), (true, 10));
        assert_eq!(counts(50_000, 150_000), (false, 10), "it is longer than it seemed");
        assert_eq!(counts(0, 0), (false, 10), "it grew while it was read");
    }

    proptest! {
        #[test]
        fn a_window_is_what_the_lines_of_the_text_say(
            text in "[ab\n]{0,40}", offset in 0..12_u32, limit in 0..12_u32, chunk in 1..9_usize,
        ) {
            let ask = Ask { line_chars: 1000, total_bytes: 100_000, ..ask(offset.into(), limit.into()) };
            let found = window(text.as_bytes(), ask, chunk);
            let all: Vec<&str> = text.lines().collect();
            let expected: Vec<&str> = all.iter().copied().skip(offset as usize).take(limit as usize).collect();
            prop_assert_eq!((texts(&found), found.total), (expected.iter().map(ToString::to_string).collect(), all.len() as u64));
        }
    }
}
