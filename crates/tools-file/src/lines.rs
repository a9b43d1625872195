//! A window of lines out of a file of any length, in bounded memory: the lines asked for, how many there are, nothing else.

use std::io::{self, Read};

use memchr::{memchr, memchr_iter};

use crate::{error::FileError, text::prefix, workspace::Cancel};

/// Bytes that are still counted after the window, so that a small question about a huge file stays small.
const COUNTED: u64 = 64 * 1024 * 1024;

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ask {
    /// Lines to skip.
    pub(crate) offset: u64,
    /// Lines to show.
    pub(crate) limit: u64,
    /// Characters of one line to show.
    pub(crate) line_chars: usize,
    /// Bytes of all lines to show.
    pub(crate) total_bytes: usize,
}

/// What was found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) lines: Vec<Line>,
    /// The number of lines, as far as they were counted.
    pub(crate) total: u64,
    /// Whether they were counted to the end.
    pub(crate) complete: bool,
    /// Whether the window ended for its bytes before it had all its lines.
    pub(crate) full: bool,
}

/// One line without its line break.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// Its beginning.
    pub(crate) bytes: Vec<u8>,
    /// All its bytes.
    pub(crate) length: usize,
}

/// How much is read at once: from the first read on, and at most.
const SMALL: usize = 8 * 1024;
const LARGE: usize = 128 * 1024;

/// Reads `reader` to the end of the window, and on as far as counting lines is cheap.
///
/// # Errors
/// `Cancelled`, or what reading gives, through `fail`.
pub(crate) fn read_window(
    mut reader: impl Read,
    ask: Ask,
    cancel: &Cancel,
    fail: impl Fn(io::Error) -> FileError,
) -> Result<Window, FileError> {
    let mut scan = Scan { ask, window: Window::default(), open: None, shown: 0, dangling: false };
    // Most files are small: a large buffer, zeroed for every call, would cost more than reading them.
    let mut buffer = vec![0; SMALL];
    let mut beyond = 0;
    loop {
        cancel.check()?;
        let length = match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(fail(error)),
        };
        if scan.is_done() {
            beyond += length as u64;
        }
        scan.take(&buffer[..length]);
        if length == buffer.len() && length < LARGE {
            buffer.resize(length * 4, 0);
        }
        if beyond > COUNTED {
            return Ok(scan.window);
        }
    }
    scan.finish();
    Ok(scan.window)
}

struct Scan {
    ask: Ask,
    window: Window,
    /// The line of the window that is being read.
    open: Option<Line>,
    shown: usize,
    /// Whether the last byte seen was not a line break.
    dangling: bool,
}

impl Scan {
    fn is_done(&self) -> bool {
        self.window.full || self.window.total >= self.ask.offset.saturating_add(self.ask.limit)
    }

    fn is_before(&self) -> bool {
        self.window.total < self.ask.offset
    }

    fn take(&mut self, mut chunk: &[u8]) {
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
            if !self.is_before() {
                let open = self.open.get_or_insert_default();
                let room = self.ask.line_chars.saturating_mul(4).saturating_sub(open.bytes.len());
                open.bytes.extend_from_slice(&line[..line.len().min(room)]);
                open.length += line.len();
            }
            self.dangling = newline.is_none();
            if newline.is_some() {
                self.close();
                self.window.total += 1;
            }
            chunk = rest;
        }
    }

    fn count(&mut self, chunk: &[u8]) {
        self.window.total += memchr_iter(b'\n', chunk).count() as u64;
        self.dangling = chunk.last().is_some_and(|&byte| byte != b'\n');
    }

    fn close(&mut self) {
        let Some(mut line) = self.open.take() else { return };
        if line.bytes.len() == line.length && line.bytes.last() == Some(&b'\r') {
            line.bytes.pop();
            line.length -= 1;
        }
        line.bytes.truncate(prefix(&line.bytes, self.ask.line_chars));
        self.shown += line.bytes.len() + 8;
        if self.shown > self.ask.total_bytes && !self.window.lines.is_empty() {
            self.window.full = true;
            return;
        }
        self.window.lines.push(line);
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
        Ask { offset, limit, line_chars: 10, total_bytes: 1000 }
    }

    fn check(text: &str, offset: u64, limit: u64, lines: &[&str], total: u64) {
        let found = window(text.as_bytes(), ask(offset, limit), 3);
        let texts: Vec<_> = found.lines.iter().map(|line| String::from_utf8_lossy(&line.bytes).into_owned()).collect();
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

    proptest! {
        #[test]
        fn a_window_is_what_the_lines_of_the_text_say(
            text in "[ab\n]{0,40}", offset in 0..12_u32, limit in 0..12_u32, chunk in 1..9_usize,
        ) {
            let ask = Ask { offset: offset.into(), limit: limit.into(), line_chars: 1000, total_bytes: 100_000 };
            let found = window(text.as_bytes(), ask, chunk);
            let all: Vec<&str> = text.lines().collect();
            let expected: Vec<&str> = all.iter().copied().skip(offset as usize).take(limit as usize).collect();
            let lines: Vec<_> = found.lines.iter().map(|line| std::str::from_utf8(&line.bytes).unwrap()).collect();
            prop_assert_eq!((lines, found.total), (expected, all.len() as u64));
        }
    }
}
