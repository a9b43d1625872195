//! Lines of an untrusted stream, with bounded memory regardless of content and chunking. The owner
//! of the stream does the reading.

use std::ops::Range;

/// Minimum free space in bytes for the next read.
const CHUNK: usize = 32 << 10;
/// Buffer size in bytes above which the buffer is freed after the line that needed it.
const KEPT_BUFFER: usize = 256 << 10;

/// Bytes of a stream that were read and not yet taken as lines. The lines do not depend on how the
/// stream was cut into reads.
///
/// ```
/// use tools_core::{BoundedLine, BoundedLines};
///
/// let mut lines = BoundedLines::new(4);
/// lines.room().extend_from_slice(b"ab\ntoo long\nc");
/// let BoundedLine::Whole(range) = lines.next() else { panic!() };
/// assert_eq!(lines.bytes(range), b"ab");
/// assert!(matches!(lines.next(), BoundedLine::TooLong(_)));
/// assert_eq!(lines.next(), BoundedLine::Partial);
/// assert_eq!(lines.last().map(|range| lines.bytes(range)), Some(&b"c"[..]));
/// ```
#[derive(Debug, Default)]
pub struct BoundedLines {
    longest: usize,
    buffer: Vec<u8>,
    start: usize,
    /// Number of bytes of the buffer already searched for line ends.
    searched: usize,
    skipping: bool,
}

/// Result of one step. Ranges are for [`BoundedLines::bytes`], valid until the next
/// [`BoundedLines::room`].
#[derive(Debug, PartialEq, Eq)]
pub enum BoundedLine {
    /// A whole line of any bytes, without its line feed.
    Whole(Range<usize>),
    /// The beginning of a line that is too long, up to the limit; the rest is skipped and not held.
    TooLong(Range<usize>),
    /// More data has to be read.
    Partial,
}

impl BoundedLines {
    /// Starts empty, for lines of at most `longest` bytes.
    pub fn new(longest: usize) -> Self {
        Self { longest, ..Self::default() }
    }

    /// The next line.
    #[expect(clippy::should_implement_trait, reason = "what it returns is a range, and its end is not the last")]
    pub fn next(&mut self) -> BoundedLine {
        loop {
            let found = memchr::memchr(b'\n', &self.buffer[self.searched..]).map(|at| self.searched + at);
            let (start, end) = (self.start, found.unwrap_or(self.buffer.len()));
            self.searched = end + usize::from(found.is_some());
            let is_too_long = !self.skipping && end - start > self.longest;
            let was_skipping = self.skipping;
            self.skipping = found.is_none() && (self.skipping || is_too_long);
            if found.is_some() || self.skipping {
                self.start = self.searched;
            }
            if is_too_long {
                return BoundedLine::TooLong(start..start + self.longest);
            }
            match found {
                None => return BoundedLine::Partial,
                Some(_) if was_skipping => {}
                Some(_) => return BoundedLine::Whole(start..end),
            }
        }
    }

    /// The rest after the last line feed. Some protocols count it as a line at the end of the
    /// stream. `None` if it is empty or the rest of a line that was too long.
    pub fn last(&mut self) -> Option<Range<usize>> {
        let rest = self.start..self.buffer.len();
        (self.start, self.searched) = (rest.end, rest.end);
        (!std::mem::take(&mut self.skipping) && !rest.is_empty()).then_some(rest)
    }

    /// The bytes of a line.
    pub fn bytes(&self, range: Range<usize>) -> &[u8] {
        &self.buffer[range]
    }

    /// The number of bytes held.
    pub fn held(&self) -> usize {
        self.buffer.len()
    }

    /// Space for the next read, after the present bytes: callers may only append.
    pub fn room(&mut self) -> &mut Vec<u8> {
        if self.start == self.buffer.len() {
            self.buffer.clear();
            if self.buffer.capacity() > KEPT_BUFFER {
                self.buffer = Vec::new();
            }
        } else if self.start > 0 {
            self.buffer.drain(..self.start);
        }
        self.searched -= self.start;
        self.start = 0;
        self.buffer.reserve(CHUNK);
        &mut self.buffer
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LONGEST: usize = 1 << 20;

    /// The lengths of the lines completed by a chunk; `None` for one that is too long.
    fn feed(lines: &mut BoundedLines, chunk: &[u8]) -> Vec<Option<usize>> {
        lines.room().extend_from_slice(chunk);
        let mut seen = vec![];
        loop {
            match lines.next() {
                BoundedLine::Whole(range) => seen.push(Some(range.len())),
                BoundedLine::TooLong(_) => seen.push(None),
                BoundedLine::Partial => return seen,
            }
        }
    }

    #[test]
    fn lines_are_found_across_reads_and_long_ones_are_skipped() {
        let mut lines = BoundedLines::new(LONGEST);
        assert_eq!(feed(&mut lines, b"ab"), []);
        assert_eq!(feed(&mut lines, b"c\n\nde\nf"), [Some(3), Some(0), Some(2)]);
        let long = vec![b'x'; LONGEST];
        assert_eq!(feed(&mut lines, &long), [None]);
        assert_eq!(feed(&mut lines, &long), []);
        assert!(lines.room().len() <= CHUNK, "a skipped line is not kept");
        assert_eq!(feed(&mut lines, b"xx\nnext\n"), [Some(4)]);
        assert!(lines.room().capacity() <= KEPT_BUFFER, "the buffer is given back");
    }

    /// A line, or the beginning of one that is too long.
    type Seen = Result<Vec<u8>, Vec<u8>>;

    /// All lines of a text, and the rest after the last.
    fn all(text: &[u8], chunk: usize, longest: usize) -> (Vec<Seen>, Option<Vec<u8>>) {
        let mut lines = BoundedLines::new(longest);
        let mut seen = vec![];
        for part in text.chunks(chunk) {
            lines.room().extend_from_slice(part);
            loop {
                match lines.next() {
                    BoundedLine::Whole(range) => seen.push(Ok(lines.bytes(range).to_vec())),
                    BoundedLine::TooLong(range) => seen.push(Err(lines.bytes(range).to_vec())),
                    BoundedLine::Partial => break,
                }
            }
            assert!(lines.held() <= longest + chunk, "{} bytes are held", lines.held());
        }
        let last = lines.last().map(|range| lines.bytes(range).to_vec());
        (seen, last)
    }

    proptest! {
        #[test]
        fn lines_are_those_of_the_text_however_it_is_cut(
            text in proptest::collection::vec(prop_oneof![3 => Just(b'\n'), 7 => any::<u8>()], 0..200),
            chunk in 1_usize..20,
            longest in 0_usize..12,
        ) {
            let mut expected: Vec<_> = text.split(|byte| *byte == b'\n').map(|line| match line.get(..longest) {
                Some(beginning) if line.len() > longest => Err(beginning.to_vec()),
                _ => Ok(line.to_vec()),
            }).collect();
            // The rest after the last line feed is not yet a line, but may be too long already.
            let last = match expected.pop() {
                Some(Err(beginning)) => { expected.push(Err(beginning)); None }
                Some(Ok(rest)) => Some(rest).filter(|rest| !rest.is_empty()),
                None => None,
            };
            prop_assert_eq!(all(&text, chunk, longest), (expected, last));
        }
    }
}
