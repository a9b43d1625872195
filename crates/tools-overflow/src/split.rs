//! Shortens a text that is too long to its beginning, its end, and the lines between them that
//! report failures. Pure.

use std::fmt::Write as _;

use tools_core::{AnswerBudget, Gap, Middle};

use crate::{Pin, view::pinned};

/// Divisor of the threshold: the maximum share for pinned lines between head and tail.
const PINNED: usize = 5;
/// Maximum number of characters shown of a pinned line.
const PINNED_LINE: usize = 400;
/// Characters reserved for the line about what is left out and the line on where it is.
const GAP_LINE: usize = 300;
/// Maximum bytes before the tail in which its heading is searched.
const LOOKED_BACK: usize = 64 << 10;

/// Unit of the cut: the original, or a filter's extract of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutUnit {
    /// The original: line numbers and counts refer to it.
    Original,
    /// An extract: counts refer to the extract, and line numbers are omitted, since they would
    /// mislead.
    Extract,
}

/// A place in a text where a part is already missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hole {
    /// The byte after the hole.
    pub at: usize,
    /// The missing part, and those of its lines that are shown anyway.
    pub middle: Middle,
}

impl From<Gap> for Hole {
    /// Only the size of the gap is known.
    fn from(Gap { at, bytes, lines }: Gap) -> Self {
        Self { at, middle: Middle { bytes, lines, unsearched: bytes, ..Middle::default() } }
    }
}

/// The shortened text for an answer of size `budget`; `None` when the text fits unchanged.
///
/// `pin` selects lines that must not be lost: as many as fit are shown with their numbers between
/// head and tail, the others are counted. Cuts are between lines if the lines are short enough,
/// otherwise between characters. `hole` describes a part that is already missing; it is inside the
/// part left out and counted with it.
pub fn split(text: &str, hole: Option<&Hole>, of: CutUnit, budget: AnswerBudget, pin: Pin) -> Option<String> {
    if hole.is_none() && budget.holds(text) {
        return None;
    }
    let characters = text.chars().count().max(1);
    // The number of characters that fill the bytes, at the average length of a character.
    let of_bytes = u128::try_from(budget.bytes).unwrap_or(u128::MAX).saturating_mul(characters as u128);
    let of_bytes = usize::try_from(of_bytes / text.len().max(1) as u128).unwrap_or(usize::MAX);
    let mut threshold = budget.characters.min(of_bytes).min(characters.saturating_add(GAP_LINE));
    loop {
        let shown = cut_to(text, hole, of, threshold, pin);
        if budget.holds(&shown) || threshold <= GAP_LINE {
            return Some(shown);
        }
        threshold -= (threshold / 8).max(1);
    }
}

fn cut_to(text: &str, hole: Option<&Hole>, of: CutUnit, threshold: usize, pin: Pin) -> String {
    let budget = threshold.saturating_sub(GAP_LINE);
    let room = budget / PINNED;
    let cuts = |budget| {
        let (head, tail) = cuts(text, budget);
        // The hole is inside the part left out.
        hole.map_or((head, tail), |hole| (head.min(hole.at), tail.max(hole.at)))
    };
    let (head, tail) = cuts(budget - room);
    let pinned = PinnedLines::gather(text, head, tail, hole, pin, room);
    let (head, tail) = if pinned.is_empty() { cuts(budget) } else { (head, tail) };
    pinned.between(text, head, tail, hole, of)
}

/// The end of the head and the start of the tail, for `budget` characters in total.
fn cuts(text: &str, budget: usize) -> (usize, usize) {
    let half = budget / 2;
    let head = text.char_indices().nth(half).map_or(text.len(), |(at, _)| at);
    let tail = match half {
        0 => text.len(),
        half => text.char_indices().nth_back(half - 1).map_or(0, |(at, _)| at),
    };
    let tail = tail.max(head);
    // A line boundary in the last or first quarter is worth the lost characters.
    let line_end = text[..head].rfind('\n').map(|at| at + 1).filter(|at| *at >= head - head / 4);
    let after = || text[tail..].find('\n').map(|at| tail + at + 1);
    let line_start = if text[..tail].ends_with('\n') { Some(tail) } else { after() };
    let line_start = line_start.filter(|at| at - tail <= (text.len() - tail) / 4);
    (line_end.unwrap_or(head), line_start.unwrap_or(tail))
}

/// The heading of the tail's first line, if it is left out: the name of a file above its hits, a
/// key above indented lines, the common text of rows. `None` when the line needs no heading, or
/// when the heading is shown.
fn heading<'a>(text: &'a str, head: usize, tail: usize, hole: Option<&Hole>) -> Option<&'a str> {
    let is_line = |at: usize| at == 0 || text[..at].ends_with('\n');
    if !is_line(tail) || !text[tail..].lines().next().is_some_and(is_under) {
        return None;
    }
    let from =
        hole.map_or(head, |hole| head.max(hole.at)).max(text.floor_char_boundary(tail.saturating_sub(LOOKED_BACK)));
    let left_out = &text[from..tail];
    let whole = if is_line(from) { left_out } else { left_out.split_once('\n')?.1 };
    let found = whole.lines().rev().find(|line| !line.trim().is_empty() && !is_under(line))?;
    // A lone brace is no useful heading.
    found.contains(char::is_alphanumeric).then_some(found)
}

/// Whether a line belongs to one above it: it is indented, has a number and text, or is marked as
/// such.
fn is_under(line: &str) -> bool {
    let number = line.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b',').count();
    let is_text = |text: &str| !text.starts_with(|first: char| first.is_ascii_digit());
    let is_hit = || number > 0 && line[number..].strip_prefix(':').is_some_and(is_text);
    line.starts_with([' ', '\t']) || line.starts_with("… ") || line.starts_with("[… as above") || is_hit()
}

/// The lines between head and tail that must not be lost.
struct PinnedLines {
    /// The lines with their numbers.
    lines: Vec<(u64, String)>,
    hidden: u64,
    room: usize,
}

impl PinnedLines {
    fn gather(text: &str, head: usize, tail: usize, hole: Option<&Hole>, pin: Pin, room: usize) -> Self {
        let mut pinned = Self { lines: Vec::new(), hidden: 0, room };
        let first = line_feeds(&text[..head]) + 1;
        let Some(Hole { at, middle }) = hole else {
            pinned.search(&text[head..tail], first, pin);
            return pinned;
        };
        pinned.search(&text[head..*at], first, pin);
        for (number, line) in &middle.failures {
            pinned.add(*number, line);
        }
        pinned.hidden += middle.more_failures;
        // Lines after the hole keep their original numbers.
        pinned.search(&text[*at..tail], line_feeds(&text[..*at]) + 1 + middle.lines, pin);
        pinned
    }

    fn search(&mut self, text: &str, first: u64, pin: Pin) {
        for (at, line) in pinned(text, pin, &mut false) {
            self.add(first + at, line);
        }
    }

    fn add(&mut self, number: u64, line: &str) {
        let line = shortened(line);
        let cost = line.chars().count() + 12;
        // Only the first lines are shown.
        if cost > self.room || self.hidden > 0 {
            self.hidden += 1;
            return;
        }
        self.room -= cost;
        self.lines.push((number, line));
    }

    fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.hidden == 0
    }

    fn between(&self, text: &str, head: usize, tail: usize, hole: Option<&Hole>, of: CutUnit) -> String {
        let under = heading(text, head, tail, hole);
        let left_out = &text[head..tail];
        let (head, tail) = (&text[..head], &text[tail..]);
        let mut shown = String::with_capacity(head.len() + tail.len() + GAP_LINE);
        shown.push_str(head);
        if !head.is_empty() && !head.ends_with('\n') {
            shown.push('\n');
        }
        let middle = hole.map(|hole| &hole.middle);
        let lines = line_feeds(left_out) + middle.map_or(0, |middle| middle.lines);
        let bytes = left_out.len() as u64 + middle.map_or(0, |middle| middle.bytes);
        // Writing to a `String` cannot fail.
        let _ = match of {
            CutUnit::Original => write!(shown, "[... {lines} lines, {bytes} bytes left out"),
            CutUnit::Extract => write!(shown, "[... {lines} lines, {bytes} bytes of what the filter kept left out"),
        };
        let unsearched = middle.map_or(0, |middle| middle.unsearched);
        let searched = match unsearched {
            0 => String::new(),
            bytes => format!(" ({bytes} bytes of it were not searched)"),
        };
        match (self.lines.len() as u64, self.hidden) {
            (0, 0) => shown.push_str(&searched),
            (_, 0) => {
                let _ = write!(shown, "; of these{searched}, the lines that report failures:");
            }
            (0, hidden) => {
                let _ = write!(shown, "; {hidden} of them{searched} report failures");
            }
            (count, hidden) => {
                let all = count + hidden;
                let _ = write!(shown, "; {all} of them{searched} report failures, the first {count} of which are:");
            }
        }
        shown.push_str(" ...]\n");
        for (number, line) in &self.lines {
            let _ = match of {
                CutUnit::Original => writeln!(shown, "{number}: {line}"),
                CutUnit::Extract => writeln!(shown, "{line}"),
            };
        }
        if !self.lines.is_empty() {
            shown.push_str("[...]\n");
        }
        if let Some(heading) = under {
            let _ = writeln!(shown, "[... under: {} ...]", shortened(heading));
        }
        shown.push_str(tail);
        shown
    }
}

/// The shown part of a pinned line.
pub(crate) fn shortened(line: &str) -> String {
    match line.char_indices().nth(PINNED_LINE) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}

pub(crate) fn line_feeds(text: &str) -> u64 {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(text: &str, threshold: usize, pin: Pin) -> Option<String> {
        super::split(text, None, CutUnit::Original, AnswerBudget::of_characters(threshold), pin)
    }

    fn is_error(text: &str) -> Vec<usize> {
        text.lines().enumerate().filter(|(_, line)| line.contains("error")).map(|(at, _)| at).collect()
    }

    #[test]
    fn what_fits_is_left_alone() {
        assert_eq!(split("", 0, is_error), None);
        // Characters count, not bytes.
        assert_eq!(split(&"ä".repeat(1000), 1000, is_error), None);
        assert!(split(&"ä".repeat(1001), 1000, is_error).is_some());
    }

    #[test]
    fn the_tail_names_the_line_that_it_stands_under() {
        let check = |heading: &str, row: &dyn Fn(usize) -> String, expected: bool| {
            let rows: String = (0..300).map(row).collect();
            let shown = split(&format!("other\n{rows}{heading}\n{rows}"), 1500, |_| vec![]).unwrap();
            assert_eq!(shown.contains(&format!("[... under: {heading} ...]\n")), expected, "{shown}");
        };
        check("src/file.rs", &|at| format!("{at}:let x = {at};\n"), true);
        check("services", &|at| format!("  name{at}: x\n"), true);
        check("[… 90 lines, each {} filled in below: a {}]", &|at| format!("… {at}\n"), true);
        check("{", &|at| format!("  name{at}: x\n"), false);
        check("started", &|at| format!("12:00:{at} a line of a log\n"), false);
        check("started", &|at| format!("line {at} of the text\n"), false);
    }

    #[test]
    fn failures_are_pinned_between_head_and_tail() {
        let mut lines: Vec<String> = (1..=1000).map(|n| format!("line {n}")).collect();
        lines[499] = "an error in the middle".to_owned();
        lines[2] = "an error in the head".to_owned();
        let shown = split(&lines.join("\n"), 800, is_error).unwrap();
        assert!(shown.starts_with("line 1\nline 2\nan error in the head\n"), "{shown}");
        assert!(shown.ends_with("\nline 999\nline 1000"), "{shown}");
        let gap = shown.find("[... ").unwrap();
        assert!(shown[gap..].contains("report failures: ...]\n500: an error in the middle\n[...]\n"), "{shown}");
    }

    #[test]
    fn failures_that_find_no_room_are_counted() {
        let text = "an error\n".repeat(10_000);
        let shown = split(&text, 1000, is_error).unwrap();
        let all: usize = shown.lines().filter(|line| line.ends_with("an error")).count();
        let said = shown.lines().find(|line| line.starts_with("[... ")).unwrap();
        let numbers: Vec<usize> =
            said.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect();
        let [lines, _, failing, first] = numbers[..] else { panic!("{said}") };
        assert_eq!(lines, failing);
        assert_eq!(all, 10_000 - failing + first);
    }

    #[test]
    fn what_was_missing_before_is_counted_and_numbers_are_those_of_the_original() {
        let lines = |range: std::ops::Range<u32>| range.map(|n| format!("line {n:05}\n")).collect::<Vec<_>>().concat();
        let text = format!("{}{}", lines(1..1001), lines(9001..10_001).replace("line 09300", "an error 9"));
        let gap = Gap { at: 11_000, bytes: 88_000, lines: 8000 };
        let shown =
            super::split(&text, Some(&gap.into()), CutUnit::Original, AnswerBudget::of_bytes(2000), is_error).unwrap();
        let (head, rest) = shown.split_once("[... ").unwrap();
        let tail = rest.rsplit_once("[...]\n").unwrap().1;
        let hidden = 10_000 - head.lines().count() - tail.lines().count();
        let left_out = 110_000 - head.len() - tail.len();
        assert!(
            rest.starts_with(&format!(
                "{hidden} lines, {left_out} bytes left out; of these (88000 bytes of it were not searched)"
            )),
            "{shown}"
        );
        assert!(rest.contains("\n9300: an error 9\n"), "{shown}");
        assert!(shown.len() <= 2000);
    }

    proptest! {
        #[test]
        fn an_answer_holds_what_is_shown(piece in "(\\PC|\n|error\n){1,20}", times in 0_usize..200, bytes in 400_usize..2000, lines in 20_usize..60) {
            let text = piece.repeat(times);
            let budget = AnswerBudget { bytes, lines, ..AnswerBudget::UNLIMITED };
            if let Some(shown) = super::split(&text, None, CutUnit::Original, budget, is_error) {
                prop_assert!(budget.holds(&shown), "{}", shown);
            }
        }

        #[test]
        fn head_and_tail_are_of_the_text_and_fit(
            piece in "(\\PC|\n|error\n){1,20}",
            times in 0_usize..60,
            threshold in 0_usize..500,
        ) {
            let text = piece.repeat(times);
            match split(&text, threshold, is_error) {
                None => prop_assert!(text.chars().count() <= threshold),
                Some(shown) => {
                    prop_assert!(shown.chars().count() <= threshold.max(GAP_LINE), "{}", shown);
                    let (head, rest) = shown.split_once("[... ").unwrap();
                    prop_assert!(text.starts_with(head.trim_end_matches('\n')));
                    let tail = rest.rsplit_once("...]\n").unwrap().1;
                    prop_assert!(text.ends_with(tail), "{}", tail);
                }
            }
        }
    }
}
