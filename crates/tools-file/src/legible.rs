//! Converts a file that is not UTF-8 to the text that `read` shows, so that a search finds it.

use std::borrow::Cow;

use crate::{converted::Convert, text::lossy_line};

/// Number of held bytes after which an unfinished line is converted without waiting for its end.
const MAX_LINE: usize = 1 << 20;

/// The text with lines that are not UTF-8 converted as they are shown. Line breaks stay.
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

/// Converts a text that arrives in pieces.
#[derive(Default)]
pub(crate) struct LegibleLines {
    /// The beginning of a line whose end has not been read yet.
    held: Vec<u8>,
}

impl Convert for LegibleLines {
    fn convert(&mut self, piece: &[u8], output: &mut Vec<u8>) {
        let complete = memchr::memrchr(b'\n', piece).map(|at| self.held.len() + at + 1);
        self.held.extend_from_slice(piece);
        let ready = match complete {
            _ if piece.is_empty() || self.held.len() > MAX_LINE => self.held.len(),
            complete => complete.unwrap_or_default(),
        };
        output.extend_from_slice(&legible(&self.held[..ready]));
        self.held.drain(..ready);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;
    use crate::converted::Converted;

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
        Converted::new(text.as_slice(), LegibleLines::default()).read_to_end(&mut shown).unwrap();
        assert_eq!(shown, *legible(&text));
    }
}
