//! The output of a job in bounded memory: the last bytes of each stream. One running number counts
//! the bytes of both streams in order of arrival.

use std::collections::VecDeque;

use crate::capture::incomplete_end;

/// Maximum number of bytes kept of each stream.
const MAX_STREAM_BYTES: usize = 128 * 1024;
/// Maximum number of turns kept of each stream; a turn begins when output switches from the other
/// stream.
const MAX_TURNS: usize = 4096;

/// Maximum length in bytes of an incomplete line or word that a page waits for.
const MAX_OPEN_LINE_BYTES: usize = 4096;
/// Length in bytes from which a word with a digit may be the beginning of a credential.
const MIN_TOKEN_BYTES: usize = 8;

/// The end of the output that a page leaves for the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hold {
    /// Nothing: no more output comes.
    Nothing,
    /// The beginning of an incomplete character, or of a word that may be a credential: nobody
    /// would recognise it in pieces. Programs that collect their output cut it anywhere.
    Word,
    /// The beginning of a line, whose rest is expected.
    Line,
}

/// One of the two streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Stdout = 0,
    Stderr = 1,
}

/// Both streams of a job.
#[derive(Debug, Default)]
pub(crate) struct Log {
    rings: [Ring; 2],
    /// Number of the next byte.
    end: u64,
    last: Option<Source>,
}

/// Output from a number on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// Number at which the next page begins.
    pub(crate) next: u64,
    /// Bytes after the requested number that are no longer kept.
    pub(crate) lost: u64,
    /// Bytes received after this page.
    pub(crate) rest: u64,
}

#[derive(Debug, Default)]
struct Ring {
    bytes: VecDeque<u8>,
    /// Number of dropped bytes of this stream.
    dropped: u64,
    turns: VecDeque<Turn>,
}

/// Beginning of a run of bytes of this stream without output of the other.
#[derive(Debug, Clone, Copy)]
struct Turn {
    number: u64,
    offset: u64,
}

impl Ring {
    fn end(&self) -> u64 {
        self.dropped + self.bytes.len() as u64
    }

    fn push(&mut self, bytes: &[u8], number: u64, takes_over: bool) {
        if takes_over || self.turns.is_empty() {
            self.turns.push_back(Turn { number, offset: self.end() });
        }
        self.bytes.extend(bytes);
        self.drop_first(self.bytes.len().saturating_sub(MAX_STREAM_BYTES));
        if self.turns.len() > MAX_TURNS
            && let Some(second) = self.turns.get(1)
        {
            let excess = second.offset.saturating_sub(self.dropped);
            self.drop_first(usize::try_from(excess).unwrap_or(usize::MAX));
        }
    }

    fn drop_first(&mut self, count: usize) {
        let count = count.min(self.bytes.len());
        self.bytes.drain(..count);
        self.dropped += count as u64;
        while self.turns.get(1).is_some_and(|second| second.offset <= self.dropped) {
            self.turns.pop_front();
        }
    }

    /// Offset in this stream of the first kept byte with this number or a later one.
    fn find(&self, number: u64) -> u64 {
        let after = self.turns.partition_point(|turn| turn.number <= number);
        let Some(turn) = after.checked_sub(1).and_then(|before| self.turns.get(before)) else {
            return self.dropped;
        };
        let limit = self.turns.get(after).map_or(self.end(), |next| next.offset);
        turn.offset.saturating_add(number - turn.number).min(limit).max(self.dropped)
    }

    /// The text between two offsets, without `hold` bytes at the end.
    fn text(&self, from: u64, to: u64, hold: usize) -> String {
        let skip = usize::try_from(from - self.dropped).unwrap_or(usize::MAX);
        let take = usize::try_from(to.saturating_sub(from)).unwrap_or(usize::MAX).saturating_sub(hold);
        let bytes: Vec<u8> = self.bytes.iter().skip(skip).take(take).copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Log {
    pub(crate) fn push(&mut self, source: Source, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let takes_over = self.last != Some(source);
        let end = self.end;
        self.ring(source).push(bytes, end, takes_over);
        self.end += bytes.len() as u64;
        self.last = Some(source);
    }

    /// At most `most` bytes from a number on, without the held end.
    pub(crate) fn page(&self, since: u64, hold: Hold, most: u64) -> Page {
        let since = since.min(self.end);
        let [out, err] = &self.rings;
        let (from_out, from_err) = (out.find(since), err.find(since));
        let kept = (out.end() - from_out) + (err.end() - from_err);
        if kept > most {
            return self.part(since, most);
        }
        let left_over = |source, ring: &Ring, from: u64| {
            if hold == Hold::Nothing || self.last != Some(source) {
                return 0;
            }
            let newest = ring.turns.back().map_or(0, |turn| turn.offset).max(from);
            let fresh = usize::try_from(ring.end() - newest).unwrap_or(usize::MAX);
            if hold == Hold::Line {
                let near = ring.bytes.iter().rev().take(fresh.min(MAX_OPEN_LINE_BYTES + 1));
                let open = near.take_while(|byte| !matches!(byte, b'\n' | b'\r')).count();
                if open <= MAX_OPEN_LINE_BYTES {
                    return open;
                }
            }
            let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-+/=.".contains(*byte);
            let word = || ring.bytes.iter().rev().take(fresh.min(MAX_OPEN_LINE_BYTES + 1)).take_while(is_word);
            let is_open = (MIN_TOKEN_BYTES..=MAX_OPEN_LINE_BYTES).contains(&word().count());
            if is_open && word().any(u8::is_ascii_digit) {
                return word().count();
            }
            let mut tail: Vec<u8> = ring.bytes.iter().rev().take(3).copied().collect();
            tail.reverse();
            Some(incomplete_end(&tail)).filter(|count| *count <= fresh).unwrap_or(0)
        };
        let (hold_out, hold_err) = (left_over(Source::Stdout, out, from_out), left_over(Source::Stderr, err, from_err));
        Page {
            stdout: out.text(from_out, out.end(), hold_out),
            stderr: err.text(from_err, err.end(), hold_err),
            next: self.end - (hold_out + hold_err) as u64,
            lost: (self.end - since) - kept,
            rest: 0,
        }
    }

    /// The first `most` kept bytes from a number on, up to a line end if there is one.
    fn part(&self, since: u64, most: u64) -> Page {
        let [out, err] = &self.rings;
        let (from_out, from_err) = (out.find(since), err.find(since));
        let taken = |number: u64| {
            let (to_out, to_err) = (out.find(number).max(from_out), err.find(number).max(from_err));
            ((to_out - from_out) + (to_err - from_err), to_out, to_err)
        };
        // Binary search over numbers, some of which are no longer kept: the count of bytes up to a
        // number never decreases.
        let (mut low, mut high) = (since, self.end);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if taken(middle).0 <= most { low = middle } else { high = middle - 1 }
        }
        let until = self.line_end(since, low);
        let (_, to_out, to_err) = taken(until);
        let after = (out.end() - to_out) + (err.end() - to_err);
        let kept = (out.end() - from_out) + (err.end() - from_err);
        // Only bytes lost before the last byte of this page; the following pages report the rest.
        let lost = (until - since).saturating_sub(kept - after);
        Page {
            stdout: out.text(from_out, to_out, 0),
            stderr: err.text(from_err, to_err, 0),
            next: until,
            lost,
            rest: after,
        }
    }

    /// The number after the last blank line before `until`, if it is near, else after the last line
    /// feed, else after the last whole character; `until` if that would make no progress. Text
    /// between blank lines belongs together, so that a reader understands each page by itself.
    fn line_end(&self, since: u64, until: u64) -> u64 {
        let turns = self.rings.iter().filter_map(|ring| {
            let turn = ring.turns.iter().rev().find(|turn| turn.number < until)?;
            Some((turn.number, turn.offset, ring))
        });
        let Some((number, offset, ring)) = turns.max_by_key(|turn| turn.0) else { return until };
        let from = ring.find(since.max(number)).max(offset);
        let to = ring.find(until);
        let skip = usize::try_from(from - ring.dropped).unwrap_or(usize::MAX);
        let take = usize::try_from(to.saturating_sub(from)).unwrap_or(0);
        let bytes: Vec<u8> = ring.bytes.iter().skip(skip).take(take).copied().collect();
        let blank = memchr::memmem::rfind(&bytes, b"\n\n").map(|at| at + 2).filter(|at| *at >= bytes.len() / 2);
        let line = memchr::memrchr(b'\n', &bytes).map(|at| at + 1);
        let end = blank.or(line).unwrap_or(bytes.len() - incomplete_end(&bytes));
        let found = number + (from - offset) + end as u64;
        if found <= since { until } else { found }
    }

    fn ring(&mut self, source: Source) -> &mut Ring {
        let [out, err] = &mut self.rings;
        match source {
            Source::Stdout => out,
            Source::Stderr => err,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(pieces: &[(Source, &str)]) -> Log {
        let mut log = Log::default();
        for (source, text) in pieces {
            log.push(*source, text.as_bytes());
        }
        log
    }

    fn page(stdout: &str, stderr: &str, next: u64, lost: u64) -> Page {
        Page { stdout: stdout.to_owned(), stderr: stderr.to_owned(), next, lost, rest: 0 }
    }

    #[test]
    fn a_number_finds_its_place_in_both_streams() {
        use Source::{Stderr, Stdout};
        let log = log(&[(Stdout, "ab"), (Stdout, "c"), (Stderr, "xy"), (Stdout, "d"), (Stderr, "z")]);
        let table = [
            (0, page("abcd", "xyz", 7, 0)),
            (2, page("cd", "xyz", 7, 0)),
            (3, page("d", "xyz", 7, 0)),
            (4, page("d", "yz", 7, 0)),
            (5, page("d", "z", 7, 0)),
            (6, page("", "z", 7, 0)),
            (7, page("", "", 7, 0)),
            (99, page("", "", 7, 0)),
        ];
        for (since, expected) in table {
            assert_eq!(log.page(since, Hold::Word, u64::MAX), expected, "since {since}");
        }
    }

    #[test]
    fn what_is_gone_is_counted() {
        let mut log = log(&[(Source::Stderr, "kept")]);
        for _ in 0..3 {
            log.push(Source::Stdout, &vec![b'x'; MAX_STREAM_BYTES]);
        }
        let seen = log.page(0, Hold::Word, u64::MAX);
        assert_eq!((seen.stdout.len(), seen.stderr.as_str()), (MAX_STREAM_BYTES, "kept"));
        assert_eq!((seen.lost, seen.next), (2 * MAX_STREAM_BYTES as u64, 4 + 3 * MAX_STREAM_BYTES as u64));
        assert_eq!(log.page(seen.next, Hold::Word, u64::MAX), page("", "", seen.next, 0));
    }

    #[test]
    fn a_character_is_not_cut_between_two_pages() {
        let mut log = Log::default();
        log.push(Source::Stdout, b"a\xd1");
        assert_eq!(log.page(0, Hold::Word, u64::MAX), page("a", "", 1, 0));
        log.push(Source::Stdout, b"\x8f!");
        assert_eq!(log.page(1, Hold::Word, u64::MAX), page("я!", "", 4, 0));
        log.push(Source::Stdout, b"\xd1");
        assert_eq!(log.page(4, Hold::Word, u64::MAX), page("", "", 4, 0));
        assert_eq!(log.page(4, Hold::Nothing, u64::MAX), page("\u{fffd}", "", 5, 0));
    }

    #[test]
    fn a_line_is_not_cut_between_two_pages() {
        let mut log = Log::default();
        log.push(Source::Stdout, b"one\ntwo");
        assert_eq!(log.page(0, Hold::Line, u64::MAX), page("one\n", "", 4, 0));
        assert_eq!(log.page(0, Hold::Word, u64::MAX), page("one\ntwo", "", 7, 0));
        log.push(Source::Stdout, b" and more\n");
        assert_eq!(log.page(4, Hold::Line, u64::MAX), page("two and more\n", "", 17, 0));
        // Output followed by output of the other stream is shown unchanged.
        log.push(Source::Stdout, b"three");
        log.push(Source::Stderr, b"err\n");
        assert_eq!(log.page(17, Hold::Line, u64::MAX), page("three", "err\n", 26, 0));
        log.push(Source::Stdout, &[b'x'; MAX_OPEN_LINE_BYTES + 1]);
        assert_eq!(log.page(26, Hold::Line, u64::MAX).stdout.len(), MAX_OPEN_LINE_BYTES + 1);
    }

    #[test]
    fn a_token_is_not_cut_between_two_pages() {
        let check = |text: &str, shown: &str| {
            let log = log(&[(Source::Stdout, text)]);
            assert_eq!(log.page(0, Hold::Word, u64::MAX), page(shown, "", shown.len() as u64, 0), "{text}");
            assert_eq!(log.page(0, Hold::Nothing, u64::MAX).stdout, text);
        };
        check("key: ghp_aB3dE5gH7jK9", "key: ");
        check("key: \"ghp_aB3dE5gH7jK9", "key: \"");
        check("key: ghp_aB3dE5gH7jK9 ", "key: ghp_aB3dE5gH7jK9 ");
        check("Your password", "Your password");
        check("listening on localhost:3000", "listening on localhost:3000");
        check("30 % ....................", "30 % ....................");
        let long = "a1".repeat(MAX_OPEN_LINE_BYTES);
        check(&long, &long);
    }

    #[test]
    fn a_page_ends_between_blocks_where_one_ends_near() {
        let mut log = Log::default();
        log.push(Source::Stdout, b"a 1\na 2\na 3\n\nb 1\nb 2\nb 3\n\nc 1\n");
        assert_eq!(log.page(0, Hold::Nothing, 20).stdout, "a 1\na 2\na 3\n\n");
        assert_eq!(log.page(0, Hold::Nothing, 12).stdout, "a 1\na 2\na 3\n");
        assert_eq!(log.page(0, Hold::Nothing, 28).stdout, "a 1\na 2\na 3\n\nb 1\nb 2\nb 3\n\n");
    }

    proptest::proptest! {
        #[test]
        fn pages_put_together_are_the_whole(pieces: Vec<(bool, String)>, cuts: Vec<bool>) {
            let mut log = Log::default();
            let (mut whole, mut read) = ([String::new(), String::new()], [String::new(), String::new()]);
            let mut since = 0;
            let mut take = |log: &Log, hold| {
                let page = log.page(since, hold, u64::MAX);
                read[0].push_str(&page.stdout);
                read[1].push_str(&page.stderr);
                since = page.next;
                page.lost
            };
            for (index, (is_err, text)) in pieces.iter().enumerate() {
                whole[usize::from(*is_err)].push_str(text);
                log.push(if *is_err { Source::Stderr } else { Source::Stdout }, text.as_bytes());
                if cuts.get(index) == Some(&true) {
                    proptest::prop_assert_eq!(take(&log, if pieces.len() % 2 == 0 { Hold::Line } else { Hold::Word }), 0);
                }
            }
            proptest::prop_assert_eq!(take(&log, Hold::Nothing), 0);
            proptest::prop_assert_eq!(read, whole);
        }

        #[test]
        fn parts_put_together_are_the_whole_and_fit(pieces: Vec<(bool, String)>, most in 4_u64..40) {
            let mut log = Log::default();
            let (mut whole, mut read) = ([String::new(), String::new()], [String::new(), String::new()]);
            for (is_err, text) in &pieces {
                whole[usize::from(*is_err)].push_str(text);
                log.push(if *is_err { Source::Stderr } else { Source::Stdout }, text.as_bytes());
            }
            let mut since = 0;
            loop {
                let page = log.page(since, Hold::Nothing, most);
                proptest::prop_assert_eq!(page.lost, 0);
                read[0].push_str(&page.stdout);
                read[1].push_str(&page.stderr);
                proptest::prop_assert_eq!(page.rest, log.end - page.next);
                if page.rest == 0 {
                    break;
                }
                proptest::prop_assert!(page.next > since && page.next - since <= most);
                since = page.next;
            }
            proptest::prop_assert_eq!(read, whole);
        }

        #[test]
        fn memory_is_bounded(turns in 0usize..10_000, size in 1usize..200) {
            let mut log = Log::default();
            for turn in 0..turns {
                log.push(if turn % 2 == 0 { Source::Stdout } else { Source::Stderr }, &vec![b'x'; size]);
            }
            for ring in &log.rings {
                proptest::prop_assert!(ring.bytes.len() <= MAX_STREAM_BYTES && ring.turns.len() <= MAX_TURNS);
            }
            let page = log.page(0, Hold::Nothing, u64::MAX);
            let kept = (page.stdout.len() + page.stderr.len()) as u64;
            proptest::prop_assert_eq!(kept + page.lost, (turns * size) as u64);
        }
    }
}
