//! Keeps the two ends of a text that arrives line by line, and the failures between them, for an
//! answer of any size. Pure.

use tools_core::{Middle, SkippedPart};

use crate::split::{line_feeds, shortened};

/// Maximum bytes kept of lines that report failures.
const FAILURES: usize = 64 << 10;

/// The ends of a text, and the lines between them that must be shown.
#[derive(Debug)]
pub(crate) struct View {
    /// Bytes kept of each end.
    keep: usize,
    pin: Pin,
    head: String,
    is_head_full: bool,
    /// The text after the head, until its oldest part moves to the middle.
    tail: String,
    /// The number of the first line of the tail.
    number: u64,
    middle: Middle,
    failures: usize,
    /// Whether the last line moved to the middle introduces the next one.
    is_introduced: bool,
}

/// Returns the lines of a text that must not be lost, by their numbers from 0, in order.
pub type Pin = fn(&str) -> Vec<usize>;

/// The lines that must not be lost, each with the following line if it only introduces that one,
/// and with its number from 0. `is_introduced` says whether the line before the text introduces its
/// first line.
pub(crate) fn pinned<'a>(text: &'a str, pin: Pin, is_introduced: &mut bool) -> Vec<(u64, &'a str)> {
    let mut pins = pin(text).into_iter().peekable();
    let mut lines = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let is_pinned = pins.next_if_eq(&at).is_some();
        if std::mem::take(is_introduced) || is_pinned {
            *is_introduced = introduces_message(line);
            lines.push((at as u64, line));
        } else if pins.peek().is_none() {
            break;
        }
    }
    lines
}

/// Whether a line that reports a failure only introduces its message, like a Rust panic: `thread
/// 'main' panicked at src/main.rs:10:5:`.
pub(crate) fn introduces_message(line: &str) -> bool {
    line.trim_end().ends_with(':') && line.contains(" panicked at ")
}

impl View {
    /// A view that keeps at least `keep` bytes of each end, and at most three times as much in
    /// total.
    pub(crate) fn new(keep: usize, pin: Pin) -> Self {
        Self {
            keep,
            pin,
            head: String::new(),
            is_head_full: false,
            tail: String::new(),
            number: 1,
            middle: Middle::default(),
            failures: 0,
            is_introduced: false,
        }
    }

    /// Adds more of the text, cut anywhere.
    pub(crate) fn push(&mut self, mut text: &str) {
        if !self.is_head_full {
            let room = self.keep - self.head.len();
            if text.len() <= room {
                return self.head.push_str(text);
            }
            let room = text.floor_char_boundary(room);
            let line_end = text[..room].rfind('\n').map(|at| at + 1);
            let starts_line = self.head.is_empty() || self.head.ends_with('\n');
            // Cut between lines, unless that costs much of the head.
            let cut = line_end.unwrap_or(if starts_line && room < self.keep / 4 { 0 } else { room });
            self.head.push_str(&text[..cut]);
            self.is_head_full = true;
            self.number = line_feeds(&self.head) + 1;
            text = &text[cut..];
        }
        self.tail.push_str(text);
        if self.tail.len() > 2 * self.keep {
            self.pass(self.keep);
        }
    }

    /// Adds a line without its line feed.
    pub(crate) fn line(&mut self, line: &str) {
        let room = self.keep.saturating_sub(self.head.len());
        if !self.is_head_full && line.len() < room {
            self.head.push_str(line);
            self.head.push('\n');
            return;
        }
        if self.is_head_full {
            self.tail.push_str(line);
            self.tail.push('\n');
            if self.tail.len() > 2 * self.keep {
                self.pass(self.keep);
            }
        } else {
            self.push(line);
            self.push("\n");
        }
    }

    /// Records a part that is missing. The kept end follows it.
    pub(crate) fn skip(&mut self, part: SkippedPart) {
        if !self.is_head_full {
            self.is_head_full = true;
            self.number = line_feeds(&self.head) + 1;
        }
        self.pass(0);
        self.middle.bytes += part.bytes;
        self.middle.lines += part.lines;
        self.middle.unsearched += part.bytes;
        self.number += part.lines;
    }

    /// Head, tail and what is between them.
    pub(crate) fn finish(self) -> (String, String, Option<Middle>) {
        let is_whole = self.middle.bytes == 0;
        (self.head, self.tail, (!is_whole).then_some(self.middle))
    }

    /// Moves the oldest part of the tail to the middle, so that about `leave` bytes remain.
    fn pass(&mut self, leave: usize) {
        let most = self.tail.floor_char_boundary(self.tail.len().saturating_sub(leave));
        let cut = match self.tail[..most].rfind('\n') {
            Some(at) => at + 1,
            None => most,
        };
        let passed = &self.tail[..cut];
        for (at, line) in pinned(passed, self.pin, &mut self.is_introduced) {
            // Only the first failures are kept.
            if self.failures >= FAILURES || self.middle.more_failures > 0 {
                self.middle.more_failures += 1;
                continue;
            }
            let line = shortened(line);
            self.failures += line.len();
            self.middle.failures.push((self.number + at, line));
        }
        let lines = line_feeds(passed);
        self.middle.bytes += cut as u64;
        self.middle.lines += lines;
        self.number += lines;
        self.tail.drain(..cut);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_error(line: &str) -> bool {
        line.starts_with("error")
    }

    fn errors(text: &str) -> Vec<usize> {
        text.lines().enumerate().filter(|(_, line)| is_error(line)).map(|(at, _)| at).collect()
    }

    fn viewed(keep: usize, pieces: &[&str]) -> (String, String, Option<Middle>) {
        let mut view = View::new(keep, errors);
        for piece in pieces {
            view.push(piece);
        }
        view.finish()
    }

    #[test]
    fn what_is_short_is_kept_whole() {
        assert_eq!(viewed(100, &["one\ntw", "o\n"]), ("one\ntwo\n".to_owned(), String::new(), None));
    }

    #[test]
    fn failures_between_the_ends_have_their_numbers() {
        let mut view = View::new(40, errors);
        for number in 1..=1000 {
            let line = if [3, 500, 700].contains(&number) { format!("error {number}") } else { number.to_string() };
            view.line(&line);
        }
        let (head, tail, middle) = view.finish();
        let middle = middle.unwrap();
        assert_eq!(middle.failures, [(500, "error 500".to_owned()), (700, "error 700".to_owned())]);
        assert!(head.starts_with("1\n2\nerror 3\n") && tail.ends_with("999\n1000\n"));
        let shown = head.lines().count() + tail.lines().count();
        assert_eq!(shown as u64 + middle.lines, 1000);
    }

    #[test]
    fn the_message_below_a_panic_is_kept_with_it() {
        let panics =
            |text: &str| text.match_indices("thread").map(|(at, _)| text[..at].matches('\n').count()).collect();
        let mut view = View::new(40, panics);
        for number in 1..=1000 {
            view.line(&if number == 500 {
                "thread 'main' panicked at src/main.rs:10:5:".to_owned()
            } else {
                number.to_string()
            });
        }
        let numbers = view.finish().2.unwrap().failures.iter().map(|(number, _)| *number).collect::<Vec<_>>();
        assert_eq!(numbers, [500, 501]);
    }

    #[test]
    fn what_was_skipped_is_counted_as_not_searched() {
        let mut view = View::new(40, errors);
        view.push("1\nerror 2\n");
        view.skip(SkippedPart { bytes: 900, lines: 90 });
        for number in 93..=200 {
            view.line(&if number == 100 { "error 100".to_owned() } else { number.to_string() });
        }
        let (head, _, middle) = view.finish();
        let middle = middle.unwrap();
        assert_eq!((head.as_str(), middle.unsearched), ("1\nerror 2\n", 900));
        assert_eq!(middle.failures, [(100, "error 100".to_owned())]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_every_failure_is_told(
            pieces in prop::collection::vec("(error |[a-c]|é|\n){0,12}", 0..60),
            keep in 8_usize..60,
        ) {
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            let all = pieces.concat();
            let (head, tail, middle) = viewed(keep, &pieces);
            prop_assert!(all.starts_with(&head) && all.ends_with(&tail));
            let middle = middle.unwrap_or_default();
            prop_assert_eq!(head.len() as u64 + middle.bytes + tail.len() as u64, all.len() as u64);
            prop_assert_eq!(line_feeds(&head) + middle.lines + line_feeds(&tail), line_feeds(&all));
            prop_assert!(head.len() <= keep && tail.len() <= 2 * keep + 80);
            let between = &all[head.len()..all.len() - tail.len()];
            // A line that the middle begins inside of is no line of its own.
            let first = line_feeds(&head) + 1;
            let told: Vec<u64> = middle.failures.iter().map(|(number, _)| *number).collect();
            for (number, line) in (first..).zip(all[head.len()..].lines()) {
                let ends_inside = number < first + line_feeds(between);
                if is_error(line) && ends_inside && (number > first || head.is_empty() || head.ends_with('\n')) {
                    prop_assert!(told.contains(&number), "{} of {:?} in {:?}", number, told, all);
                }
            }
        }
    }
}
