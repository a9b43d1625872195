//! What is shown of a text that is too long: its beginning, its end, and between them the lines that report failures. Pure.

use std::fmt::Write as _;

/// What part of the threshold the lines that are pinned between head and tail may take.
const PINNED: usize = 5;
/// How many characters of a pinned line are shown.
const PINNED_LINE: usize = 400;
/// Room for the line that says what is left out, and for the one that says where it is.
const GAP_LINE: usize = 300;

/// The text as it is shown in at most `threshold` characters; `None` when it fits as it is.
///
/// `pin` says which lines must not be lost: as many of them as there is room for stand, each with its number, between head
/// and tail, and the others are counted. Cuts go between lines where lines are short enough, else between characters.
pub fn split(text: &str, threshold: usize, pin: fn(&str) -> bool) -> Option<String> {
    // No character is shorter than a byte: most texts need no counting.
    if text.len() <= threshold || text.chars().count() <= threshold {
        return None;
    }
    let budget = threshold.saturating_sub(GAP_LINE);
    let room = budget / PINNED;
    let (head, tail) = cuts(text, budget - room);
    let pinned = Pinned::gather(text, head, tail, pin, room);
    let (head, tail) = if pinned.is_empty() { cuts(text, budget) } else { (head, tail) };
    Some(pinned.between(text, head, tail))
}

/// Where the head ends and the tail begins, for `budget` characters of both.
fn cuts(text: &str, budget: usize) -> (usize, usize) {
    let half = budget / 2;
    let head = text.char_indices().nth(half).map_or(text.len(), |(at, _)| at);
    let tail = match half {
        0 => text.len(),
        half => text.char_indices().nth_back(half - 1).map_or(0, |(at, _)| at),
    };
    let tail = tail.max(head);
    // A line boundary in the last or first quarter is worth the characters it costs.
    let line_end = text[..head].rfind('\n').map(|at| at + 1).filter(|at| *at >= head - head / 4);
    let after = || text[tail..].find('\n').map(|at| tail + at + 1);
    let line_start = if text[..tail].ends_with('\n') { Some(tail) } else { after() };
    let line_start = line_start.filter(|at| at - tail <= (text.len() - tail) / 4);
    (line_end.unwrap_or(head), line_start.unwrap_or(tail))
}

/// The lines between head and tail that must not be lost.
struct Pinned {
    shown: String,
    count: usize,
    hidden: usize,
}

impl Pinned {
    fn gather(text: &str, head: usize, tail: usize, pin: fn(&str) -> bool, room: usize) -> Self {
        let mut pinned = Self { shown: String::new(), count: 0, hidden: 0 };
        let mut left = room;
        let before = text[..head].bytes().filter(|byte| *byte == b'\n').count();
        for (number, line) in (before + 1..).zip(text[head..tail].lines()) {
            if !pin(line) {
                continue;
            }
            let cut = line.char_indices().nth(PINNED_LINE).map(|(at, _)| at);
            let cost = cut.map_or(line.chars().count(), |_| PINNED_LINE + 1) + 12;
            if cost > left || pinned.hidden > 0 {
                pinned.hidden += 1;
                continue;
            }
            left -= cost;
            pinned.count += 1;
            let (line, more) = cut.map_or((line, ""), |at| (&line[..at], "…"));
            // Writing to a `String` cannot fail.
            let _ = writeln!(pinned.shown, "{number}: {line}{more}");
        }
        pinned
    }

    fn is_empty(&self) -> bool {
        self.count + self.hidden == 0
    }

    fn between(&self, text: &str, head: usize, tail: usize) -> String {
        let gap = &text[head..tail];
        let (head, tail) = (&text[..head], &text[tail..]);
        let mut shown = String::with_capacity(head.len() + tail.len() + self.shown.len() + GAP_LINE);
        shown.push_str(head);
        if !head.is_empty() && !head.ends_with('\n') {
            shown.push('\n');
        }
        let (lines, bytes) = (gap.bytes().filter(|byte| *byte == b'\n').count(), gap.len());
        let _ = write!(shown, "[... {lines} lines, {bytes} bytes left out");
        match (self.count, self.hidden) {
            (0, 0) => {}
            (_, 0) => shown.push_str("; of these, the lines that report failures:"),
            (0, hidden) => {
                let _ = write!(shown, "; {hidden} of them report failures");
            }
            (count, hidden) => {
                let all = count + hidden;
                let _ = write!(shown, "; {all} of them report failures, the first {count} of which are:");
            }
        }
        shown.push_str(" ...]\n");
        shown.push_str(&self.shown);
        if self.count > 0 {
            shown.push_str("[...]\n");
        }
        shown.push_str(tail);
        shown
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_error(line: &str) -> bool {
        line.contains("error")
    }

    #[test]
    fn what_fits_is_left_alone() {
        assert_eq!(split("", 0, is_error), None);
        // Characters count, not bytes.
        assert_eq!(split(&"ä".repeat(1000), 1000, is_error), None);
        assert!(split(&"ä".repeat(1001), 1000, is_error).is_some());
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

    proptest! {
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
