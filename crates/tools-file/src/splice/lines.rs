//! Splits a text into lines.

use std::ops::Range;

/// The number of the line that contains the byte `at`, from 1.
pub(crate) fn line_number(text: &str, at: usize) -> usize {
    memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count() + 1
}

/// A text as lines: the range of each line without its line break.
pub(super) struct Lines<'a> {
    pub(super) text: &'a str,
    pub(super) lines: Vec<Range<usize>>,
}

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let mut lines = Vec::new();
        let mut start = 0;
        for newline in memchr::memchr_iter(b'\n', text.as_bytes()) {
            let end = if text[start..newline].ends_with('\r') { newline - 1 } else { newline };
            lines.push(start..end);
            start = newline + 1;
        }
        if start < text.len() {
            lines.push(start..text.len());
        }
        Self { text, lines }
    }

    pub(super) fn line(&self, index: usize) -> &'a str {
        &self.text[self.lines[index].clone()]
    }

    /// Offset at which the line after `index` begins.
    pub(super) fn after(&self, index: usize) -> usize {
        self.lines.get(index + 1).map_or(self.text.len(), |next| next.start)
    }
}
