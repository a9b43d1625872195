//! Captures the output of a command in bounded memory: the first and the last bytes of each stream
//! and of both combined. All output is read and counted.

use std::collections::VecDeque;

use tools_core::{Gap, SkippedPart};

/// The beginning and the end of a stream.
#[derive(Debug, Clone)]
pub(crate) struct HeadTail {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    half: usize,
    total: u64,
    /// Number of line feeds in all bytes received.
    line_feeds: u64,
}

impl HeadTail {
    /// Creates a buffer that keeps at most `most` bytes.
    pub(crate) fn new(most: usize) -> Self {
        Self { head: Vec::new(), tail: VecDeque::new(), half: (most / 2).max(1), total: 0, line_feeds: 0 }
    }

    pub(crate) fn push(&mut self, mut bytes: &[u8]) {
        self.total = self.total.saturating_add(bytes.len() as u64);
        self.line_feeds += memchr::memchr_iter(b'\n', bytes).count() as u64;
        let room = self.half.saturating_sub(self.head.len());
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        bytes = rest;
        if bytes.len() > self.half {
            bytes = &bytes[bytes.len() - self.half..];
        }
        let excess = (self.tail.len() + bytes.len()).saturating_sub(self.half);
        self.tail.drain(..excess);
        self.tail.extend(bytes);
    }

    /// Number of bytes received.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Number of bytes received and not kept.
    pub(crate) fn lost(&self) -> u64 {
        self.total - (self.head.len() + self.tail.len()) as u64
    }

    /// Whether so many more bytes fit without losing any.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        self.total.saturating_add(bytes as u64) <= self.half.saturating_mul(2) as u64
    }

    /// The kept bytes, in order.
    pub(crate) fn slices(&self) -> (&[u8], [&[u8]; 2]) {
        let (first, second) = self.tail.as_slices();
        (&self.head, [first, second])
    }

    /// The kept beginning and end, and the size of the skipped part between them. The cuts are
    /// moved to line ends where there is one.
    pub(crate) fn into_bytes(self) -> (Vec<u8>, SkippedPart, Vec<u8>) {
        let Self { mut head, tail, total, line_feeds, .. } = self;
        let mut tail = Vec::from(tail);
        if total == (head.len() + tail.len()) as u64 {
            return (head, SkippedPart::default(), tail);
        }
        head.truncate(memchr::memrchr(b'\n', &head).map_or(head.len() - incomplete_end(&head), |at| at + 1));
        let begun = tail.iter().take(3).take_while(|byte| is_continuation(**byte)).count();
        tail.drain(..memchr::memchr(b'\n', &tail).map_or(begun, |at| at + 1));
        let kept = [&head, &tail].map(|part| memchr::memchr_iter(b'\n', part).count() as u64);
        let bytes = total - (head.len() + tail.len()) as u64;
        (head, SkippedPart { bytes, lines: line_feeds - kept[0] - kept[1] }, tail)
    }

    /// A copy that keeps at most `most` bytes.
    pub(crate) fn narrowed(&self, most: usize) -> Self {
        let half = (most / 2).max(1);
        if half >= self.half {
            return Self { head: self.head.clone(), tail: self.tail.clone(), ..*self };
        }
        // The kept beginning has no gap: nothing is lost before the stream is longer than this.
        let mut head = self.head[..half.min(self.head.len())].to_vec();
        head.extend(self.tail.range(..(half - head.len()).min(self.tail.len())));
        let rest = (self.head.len() + self.tail.len() - head.len()).min(half);
        let from_head = rest.saturating_sub(self.tail.len());
        let mut tail = VecDeque::from(self.head[self.head.len() - from_head..].to_vec());
        tail.extend(self.tail.range(self.tail.len() - (rest - from_head)..));
        Self { head, tail, half, ..*self }
    }

    /// The text, with a line that says how much is missing. Invalid UTF-8 becomes U+FFFD; cut
    /// characters are removed, and so are cut lines if they are short.
    pub(crate) fn into_text(self) -> String {
        let (mut text, gap) = self.into_parts();
        if let Some(Gap { at, bytes, lines }) = gap {
            let line_end = if at == 0 || text[..at].ends_with('\n') { "" } else { "\n" };
            text.insert_str(at, &format!("{line_end}[... {lines} lines, {bytes} bytes left out ...]\n"));
        }
        text
    }

    /// The kept text, and the gap in it.
    pub(crate) fn into_parts(self) -> (String, Option<Gap>) {
        let Self { mut head, mut tail, total, line_feeds, .. } = self;
        let tail = tail.make_contiguous();
        if total == (head.len() + tail.len()) as u64 {
            head.extend_from_slice(tail);
            return (String::from_utf8_lossy(&head).into_owned(), None);
        }
        // Cuts at a line end if that removes little.
        let head_end = memchr::memrchr(b'\n', &head).map(|at| at + 1).filter(|at| head.len() - at <= head.len() / 4);
        head.truncate(head_end.unwrap_or(head.len() - incomplete_end(&head)));
        let tail_start = memchr::memchr(b'\n', tail).map(|at| at + 1).filter(|at| *at <= tail.len() / 4);
        let begun = tail.iter().take(3).take_while(|byte| is_continuation(**byte)).count();
        let tail = &tail[tail_start.unwrap_or(begun)..];
        let bytes = total - (head.len() + tail.len()) as u64;
        let kept = [head.as_slice(), tail].map(|part| memchr::memchr_iter(b'\n', part).count() as u64);
        // A cut within a single line removes a part of that line.
        let lines = (line_feeds - kept[0] - kept[1]).max(1);
        let mut text = String::from_utf8_lossy(&head).into_owned();
        let at = text.len();
        text.push_str(&String::from_utf8_lossy(tail));
        (text, Some(Gap { at, bytes, lines }))
    }
}

fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// Number of bytes at the end that belong to an incomplete character.
pub(crate) fn incomplete_end(bytes: &[u8]) -> usize {
    for back in 1..=bytes.len().min(3) {
        let byte = bytes[bytes.len() - back];
        if is_continuation(byte) {
            continue;
        }
        let needed = match byte {
            0b1100_0000..=0b1101_1111 => 2,
            0b1110_0000..=0b1110_1111 => 3,
            0b1111_0000..=0b1111_0111 => 4,
            _ => 1,
        };
        return if needed > back { back } else { 0 };
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(most: usize, chunks: &[&[u8]]) -> (String, u64, u64) {
        let mut kept = HeadTail::new(most);
        for chunk in chunks {
            kept.push(chunk);
        }
        let (total, lost) = (kept.total(), kept.lost());
        (kept.into_text(), total, lost)
    }

    #[test]
    fn what_fits_is_kept_whole() {
        assert_eq!(text(10, &[b"abc", b"defghij"]), ("abcdefghij".to_owned(), 10, 0));
        assert_eq!(text(10, &[b"a\xffb"]), ("a\u{fffd}b".to_owned(), 3, 0));
    }

    #[test]
    fn the_middle_is_left_out_and_counted() {
        assert_eq!(text(4, &[b"abcdefgh"]), ("ab\n[... 1 lines, 4 bytes left out ...]\ngh".to_owned(), 8, 4));
        assert_eq!(text(4, &[b"ab", b"c", b"d", b"efg", b"h"]), text(4, &[b"abcdefgh"]));
    }

    #[test]
    fn lines_go_as_a_whole_where_they_are_short() {
        let lines: String = (0..100).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
        let mut kept = HeadTail::new(200);
        kept.push(lines.as_bytes());
        let (text, gap) = kept.into_parts();
        let Gap { at, bytes, lines: missing } = gap.unwrap();
        assert!(lines.starts_with(&text[..at]) && text[..at].ends_with('\n'), "{text}");
        assert!(lines.ends_with(&text[at..]) && text[at..].starts_with("line"), "{text}");
        assert_eq!((text.len() as u64 + bytes, text.lines().count() as u64 + missing), (lines.len() as u64, 100));
    }

    #[test]
    fn a_cut_character_goes_as_a_whole() {
        let (text, ..) = text(6, &["aяяяяяb".as_bytes()]);
        assert_eq!(text, "aя\n[... 1 lines, 6 bytes left out ...]\nяb");
    }

    proptest::proptest! {
        #[test]
        fn a_narrowed_stream_is_one_that_never_kept_more(chunks: Vec<Vec<u8>>, most in 2usize..64, more in 0usize..64) {
            let (mut wide, mut narrow) = (HeadTail::new(most + more), HeadTail::new(most));
            for chunk in &chunks {
                wide.push(chunk);
                narrow.push(chunk);
            }
            let narrowed = wide.narrowed(most);
            proptest::prop_assert_eq!((narrowed.total(), narrowed.lost()), (narrow.total(), narrow.lost()));
            proptest::prop_assert_eq!(narrowed.into_text(), narrow.into_text());
        }

        #[test]
        fn memory_is_bounded_and_the_ends_are_right(chunks: Vec<Vec<u8>>, most in 2usize..64) {
            let all = chunks.concat();
            let mut kept = HeadTail::new(most);
            for chunk in &chunks { kept.push(chunk); }
            proptest::prop_assert!(kept.head.len() + kept.tail.len() <= most);
            proptest::prop_assert!(all.starts_with(&kept.head));
            proptest::prop_assert!(all.ends_with(kept.tail.make_contiguous()));
            proptest::prop_assert_eq!(kept.total(), all.len() as u64);
        }
    }
}
