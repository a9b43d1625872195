//! Reads non-empty lines of a client.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tools_core::{BoundedLine, BoundedLines};

/// Maximum size of a message in bytes.
pub(crate) const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;

/// A line of the input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A non-empty line, without its end.
    Text(Vec<u8>),
    /// A line that exceeds the maximum size.
    TooLong,
}

/// Splits a stream into lines.
pub(crate) struct Lines<R> {
    input: R,
    received: BoundedLines,
    at_end: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Lines of `input` with at most `longest` bytes.
    pub(crate) fn new(input: R, longest: usize) -> Self {
        Self { input, received: BoundedLines::new(longest), at_end: false }
    }

    /// The next non-empty line; `None` at the end of the input. A last line without an end counts:
    /// piped requests often lack it.
    ///
    /// # Errors
    /// An error of the input.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let line = match self.received.next() {
                BoundedLine::Whole(range) => range,
                BoundedLine::TooLong(_) => return Ok(Some(Line::TooLong)),
                BoundedLine::Partial if self.at_end => match self.received.last() {
                    Some(range) => range,
                    None => return Ok(None),
                },
                BoundedLine::Partial => {
                    self.at_end = self.input.read_buf(self.received.room()).await? == 0;
                    continue;
                }
            };
            let line = self.received.bytes(line);
            if !line.trim_ascii().is_empty() {
                return Ok(Some(Line::Text(line.to_vec())));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(text: &[u8], longest: usize) -> Vec<Line> {
        let mut lines = Lines::new(text, longest);
        let mut all = vec![];
        while let Some(line) = lines.next().await.expect("a slice does not fail") {
            all.push(line);
        }
        all
    }

    #[tokio::test]
    async fn lines_are_bounded_and_empty_ones_are_nothing() {
        let text = |text: &str| Line::Text(text.as_bytes().to_vec());
        assert_eq!(lines(b"a\n\n \nbc\r\nd", 4).await, [text("a"), text("bc\r"), text("d")]);
        assert_eq!(lines(b"12345\nab\n123456", 4).await, [Line::TooLong, text("ab"), Line::TooLong]);
        assert_eq!(lines(b"", 4).await, []);
        let long = [vec![b'x'; 3 << 16], b"\nok\n".to_vec()].concat();
        assert_eq!(lines(&long, 1 << 16).await, [Line::TooLong, text("ok")]);
        assert_eq!(lines(&long, 1 << 18).await.len(), 2);
    }
}
