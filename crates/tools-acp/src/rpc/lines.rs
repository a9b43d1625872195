//! Lines of a stream, bounded: what is longer than a message may be is passed over without being
//! held.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// How long a message may be, in bytes.
pub(crate) const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;
/// How much is read at once.
const CHUNK: usize = 64 * 1024;

/// A line of the input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// One with something in it, without its end.
    Text(Vec<u8>),
    /// One that is longer than a message may be; nothing of it is held.
    TooLong,
}

/// Takes a stream apart into lines.
pub(crate) struct Lines<R> {
    input: R,
    longest: usize,
    chunk: Vec<u8>,
    /// What of the chunk is not taken yet.
    from: usize,
    line: Vec<u8>,
    passing_over: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Lines of `input` of at most `longest` bytes.
    pub(crate) fn new(input: R, longest: usize) -> Self {
        Self { input, longest, chunk: vec![], from: 0, line: vec![], passing_over: false }
    }

    /// The next line that is not empty; `None` at the end of the input. A last line without an end
    /// counts.
    ///
    /// # Errors
    /// Whatever the input fails with.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            while self.from < self.chunk.len() {
                if let Some(line) = self.take() {
                    return Ok(Some(line));
                }
            }
            self.chunk.resize(CHUNK, 0);
            let read = self.input.read(&mut self.chunk).await?;
            self.chunk.truncate(read);
            self.from = 0;
            if read == 0 {
                return Ok(self.finished());
            }
        }
    }

    /// Takes what is there up to the end of the line; the line where it ends there.
    fn take(&mut self) -> Option<Line> {
        let rest = &self.chunk[self.from..];
        let end = memchr::memchr(b'\n', rest);
        let part = &rest[..end.unwrap_or(rest.len())];
        if self.passing_over || self.line.len() + part.len() > self.longest {
            self.passing_over = true;
            self.line = vec![];
        } else {
            self.line.extend_from_slice(part);
        }
        self.from += part.len() + usize::from(end.is_some());
        end.and_then(|_| self.finished())
    }

    fn finished(&mut self) -> Option<Line> {
        if std::mem::take(&mut self.passing_over) {
            return Some(Line::TooLong);
        }
        let line = std::mem::take(&mut self.line);
        (!line.trim_ascii().is_empty()).then_some(Line::Text(line))
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
        let long = [vec![b'x'; 3 * CHUNK], b"\nok\n".to_vec()].concat();
        assert_eq!(lines(&long, CHUNK).await, [Line::TooLong, text("ok")]);
        assert_eq!(lines(&long, 4 * CHUNK).await.len(), 2);
    }
}
