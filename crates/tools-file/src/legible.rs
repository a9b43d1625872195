//! The text of a file that is not UTF-8 as `read` shows it, so that a search finds what was seen.

use std::{
    borrow::Cow,
    io::{self, Read},
};

use crate::text::lossy_line;

/// Bytes that are read at once.
const PIECE: usize = 64 << 10;
/// A longer line is taken as it is.
const MAX_LINE: usize = 1 << 20;

/// The same text with the lines that are not UTF-8 as they are shown. Line breaks stay.
pub(crate) fn legible(text: &[u8]) -> Cow<'_, [u8]> {
    if std::str::from_utf8(text).is_ok() {
        return Cow::Borrowed(text);
    }
    let mut shown = Vec::with_capacity(text.len() + text.len() / 8);
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        shown.extend_from_slice(lossy_line(line).0.as_bytes());
    }
    Cow::Owned(shown)
}

/// The same for a text that comes in pieces.
pub(crate) struct LegibleReader<R> {
    reader: R,
    /// What was read and is not given yet: complete lines, then the beginning of one.
    held: Vec<u8>,
    output: Vec<u8>,
    given: usize,
    ended: bool,
}

impl<R: Read> LegibleReader<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { reader, held: Vec::new(), output: Vec::new(), given: 0, ended: false }
    }

    fn refill(&mut self) -> io::Result<()> {
        let start = self.held.len();
        self.held.resize(start + PIECE, 0);
        let length = self.reader.read(&mut self.held[start..]);
        self.held.truncate(start + length.as_ref().copied().unwrap_or_default());
        self.ended = length? == 0;
        let complete = memchr::memrchr(b'\n', &self.held[start..]).map(|at| start + at + 1);
        let ready = match complete {
            _ if self.ended || self.held.len() > MAX_LINE => self.held.len(),
            complete => complete.unwrap_or_default(),
        };
        self.output.clear();
        self.output.extend_from_slice(&legible(&self.held[..ready]));
        self.held.drain(..ready);
        self.given = 0;
        Ok(())
    }
}

impl<R: Read> Read for LegibleReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.output.len() && !self.ended {
            self.refill()?;
        }
        let length = buffer.len().min(self.output.len() - self.given);
        buffer[..length].copy_from_slice(&self.output[self.given..self.given + length]);
        self.given += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_not_utf8_are_as_they_are_shown() {
        assert_eq!(legible(b"caf\xe9\r\nna\xefve\nplain"), "café\r\nnaïve\nplain".as_bytes());
        assert!(matches!(legible("é\n".as_bytes()), Cow::Borrowed(_)));
    }

    #[test]
    fn pieces_give_the_same_text() {
        let mut text = Vec::new();
        for number in 0..20_000_u32 {
            text.extend_from_slice(format!("line {number} ").as_bytes());
            text.extend_from_slice(if number % 3 == 0 { b"caf\xe9\n" } else { "naïve\n".as_bytes() });
        }
        text.extend_from_slice(b"the last one \xe9");
        let mut shown = Vec::new();
        LegibleReader::new(text.as_slice()).read_to_end(&mut shown).unwrap();
        assert_eq!(shown, *legible(&text));
    }
}
