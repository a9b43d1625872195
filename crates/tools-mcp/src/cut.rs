//! Cutting a text that is too long for one answer: where the head ends, where the tail begins. Pure.

use std::ops::Range;

/// What is left out of the middle of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gap {
    /// The bytes that are left out; both ends are character boundaries, line boundaries where lines are short enough.
    pub(crate) bytes: Range<usize>,
    /// How many lines end inside the gap.
    pub(crate) lines: usize,
}

/// Where to cut `text` so that head and tail together fit into `budget` bytes; `None` when it fits as it is.
///
/// The head gets two thirds: what a model asked for stands there more often, while errors and sums stand at the end.
pub(crate) fn gap(text: &str, budget: usize) -> Option<Gap> {
    if text.len() <= budget {
        return None;
    }
    let head = line_end_before(text, budget / 3 * 2);
    let tail = line_start_after(text, text.len() - budget / 3).max(head);
    Some(Gap { lines: lines(&text[head..tail]), bytes: head..tail })
}

/// The part of `text[range]` that fits into `budget` bytes from the start of the range: at least one character.
pub(crate) fn page(text: &str, range: Range<usize>, budget: usize) -> Range<usize> {
    if range.len() <= budget {
        return range;
    }
    let end = range.start + (line_end_before(&text[range.clone()], budget.max(4)));
    range.start..end
}

/// How many lines end in `text`.
pub(crate) fn lines(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count()
}

/// The last line boundary at or before `limit`, if one is near; else the last character boundary.
fn line_end_before(text: &str, limit: usize) -> usize {
    let limit = text.floor_char_boundary(limit);
    match memchr::memrchr(b'\n', &text.as_bytes()[..limit]) {
        Some(newline) if newline >= limit / 2 => newline + 1,
        _ => limit,
    }
}

/// The first line boundary at or after `limit`, if one is near; else the first character boundary.
fn line_start_after(text: &str, limit: usize) -> usize {
    let limit = text.ceil_char_boundary(limit);
    let rest = &text.as_bytes()[limit..];
    if text.as_bytes()[..limit].ends_with(b"\n") {
        return limit;
    }
    match memchr::memchr(b'\n', rest) {
        Some(newline) if newline + 1 < rest.len() / 2 => limit + newline + 1,
        _ => limit,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn short_texts_are_left_alone() {
        assert_eq!(gap("", 0), None);
        assert_eq!(gap("abc", 3), None);
    }

    #[test]
    fn cuts_at_lines_where_lines_are_short() {
        let text = "line\n".repeat(100);
        let gap = gap(&text, 60).unwrap();
        assert_eq!(gap, Gap { bytes: 40..480, lines: 88 });
    }

    #[test]
    fn cuts_a_single_long_line_at_characters() {
        let text = "ä".repeat(100);
        let gap = gap(&text, 31).unwrap();
        assert_eq!(gap, Gap { bytes: 20..190, lines: 0 });
    }

    proptest! {
        #[test]
        fn head_and_tail_fit_and_nothing_is_lost(text in "(\\PC|\n){0,200}", budget in 0_usize..120) {
            match gap(&text, budget) {
                None => prop_assert!(text.len() <= budget),
                Some(gap) => {
                    let (head, tail) = (&text[..gap.bytes.start], &text[gap.bytes.end..]);
                    prop_assert!(head.len() + tail.len() <= budget);
                    prop_assert_eq!(format!("{head}{}{tail}", &text[gap.bytes.clone()]), text.clone());
                }
            }
        }

        #[test]
        fn pages_join_to_the_whole(text in "(\\PC|\n){0,200}", budget in 0_usize..50) {
            let (mut joined, mut rest) = (String::new(), 0..text.len());
            while !rest.is_empty() {
                let page = page(&text, rest.clone(), budget);
                prop_assert!(!page.is_empty() && page.len() <= budget.max(4));
                joined.push_str(&text[page.clone()]);
                rest.start = page.end;
            }
            prop_assert_eq!(joined, text);
        }
    }
}
