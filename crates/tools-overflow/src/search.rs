//! Finds lines in a text that arrives in pieces. Each is returned with its number; of a long line,
//! the part around the match. Pure.

use std::collections::VecDeque;

use regex::bytes::{Regex, RegexBuilder};

use crate::{LineGap, OverflowError};

/// Maximum number of characters of a pattern.
pub const MAX_PATTERN: usize = 512;
/// Maximum size in bytes of a compiled pattern.
const MAX_COMPILED: usize = 1 << 20;
/// Maximum bytes shown of a line, around the first match.
const LINE: usize = 400;

/// Compiles an untrusted pattern.
pub(crate) fn compile(pattern: &str) -> Result<Regex, OverflowError> {
    if pattern.chars().count() > MAX_PATTERN {
        return Err(OverflowError::Pattern(format!("longer than {MAX_PATTERN} characters")));
    }
    let compiled = RegexBuilder::new(pattern).size_limit(MAX_COMPILED).dfa_size_limit(MAX_COMPILED).build();
    compiled.map_err(|error| OverflowError::Pattern(error.to_string()))
}

/// Limits of a search result.
#[derive(Debug, Clone, Copy)]
pub struct SearchLimit {
    /// Maximum number of lines.
    pub lines: u64,
    /// Maximum total bytes.
    pub bytes: usize,
    /// Number of lines shown before and after each match.
    pub context: u64,
}

/// Result of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResult {
    /// The lines, each with its number before it.
    pub text: String,
    /// Number of shown lines.
    pub shown: u64,
    /// Number of matching lines.
    pub total: u64,
    /// The number of the last line shown; 0 when there is none.
    pub last: u64,
}

/// A running search.
pub(crate) struct Search {
    regex: Regex,
    most: SearchLimit,
    /// The lines that one line stands for.
    gap: Option<LineGap>,
    line: u64,
    /// The beginning of an incomplete line.
    begun: Vec<u8>,
    /// The last lines that did not match and were not shown, in the form in which they would be
    /// shown.
    before: VecDeque<(u64, String)>,
    /// Number of lines still to show after a match.
    behind: u64,
    /// The number of the last line shown, matching or not.
    shown_to: u64,
    /// The state before the last match was shown.
    without_last: Mark,
    found: SearchResult,
}

/// The state to restore when a match does not fit with all its context.
#[derive(Debug, Clone, Copy, Default)]
struct Mark {
    text: usize,
    last: u64,
    shown_to: u64,
}

impl Search {
    pub(crate) fn new(regex: Regex, line: u64, most: SearchLimit, gap: Option<LineGap>) -> Self {
        let found = SearchResult { text: String::new(), shown: 0, total: 0, last: 0 };
        Self {
            regex,
            most,
            gap,
            line,
            begun: Vec::new(),
            before: VecDeque::new(),
            behind: 0,
            shown_to: 0,
            without_last: Mark::default(),
            found,
        }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(at) = memchr::memchr(b'\n', rest) {
            let (line, after) = (&rest[..at], &rest[at + 1..]);
            if self.begun.is_empty() {
                self.look(line);
            } else {
                let mut begun = std::mem::take(&mut self.begun);
                begun.extend_from_slice(line);
                self.look(&begun);
            }
            self.line = self.gap.filter(|gap| gap.first == self.line).map_or(self.line, |gap| gap.last) + 1;
            rest = after;
        }
        self.begun.extend_from_slice(rest);
    }

    pub(crate) fn finish(mut self) -> SearchResult {
        if !self.begun.is_empty() {
            let begun = std::mem::take(&mut self.begun);
            self.look(&begun);
        }
        self.found
    }

    fn look(&mut self, line: &[u8]) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let Some(hit) = self.regex.find(line) else { return self.pass(line) };
        self.found.total += 1;
        // After the first match that does not fit no more are shown, so the result is a prefix of
        // all matches.
        if self.found.shown + 1 != self.found.total || self.found.shown >= self.most.lines {
            self.behind = 0;
            return;
        }
        let mut text = String::new();
        let first = self.before.front().map_or(self.line, |(number, _)| *number);
        if self.most.context > 0 && self.shown_to > 0 && first > self.shown_to + 1 {
            text.push_str("--\n");
        }
        for (_, line) in self.before.drain(..) {
            text.push_str(&line);
        }
        text.push_str(&shown(self.line, ':', line, hit.start()));
        if self.found.text.len() + text.len() > self.most.bytes {
            self.behind = 0;
            return;
        }
        self.without_last = Mark { text: self.found.text.len(), last: self.found.last, shown_to: self.shown_to };
        self.found.text.push_str(&text);
        self.found.shown += 1;
        self.found.last = self.line;
        self.shown_to = self.line;
        self.behind = self.most.context;
    }

    /// Processes a line that does not match; it may be context of a match before or after it.
    fn pass(&mut self, line: &[u8]) {
        if self.most.context == 0 {
            return;
        }
        let text = shown(self.line, '-', line, 0);
        if self.behind > 0 {
            self.behind -= 1;
            if self.found.text.len() + text.len() <= self.most.bytes {
                self.found.text.push_str(&text);
                self.shown_to = self.line;
                return;
            }
            self.behind = 0;
            self.take_back();
        }
        if self.before.len() as u64 >= self.most.context {
            self.before.pop_front();
        }
        self.before.push_back((self.line, text));
    }

    /// Removes a match whose context does not fit. The next search continues after the last match
    /// shown and would never show the rest of the context.
    fn take_back(&mut self) {
        let Mark { text, last, shown_to } = self.without_last;
        self.found.text.truncate(text);
        self.found.shown -= 1;
        self.found.last = last;
        self.shown_to = shown_to;
    }
}

/// A line with its number; of a long line, the part around `at`.
fn shown(number: u64, sign: char, line: &[u8], at: usize) -> String {
    let from = if line.len() <= LINE { 0 } else { at.saturating_sub(LINE / 4) };
    let part = &line[from..line.len().min(from + LINE)];
    let (left, right) = (mark(from > 0), mark(from + part.len() < line.len()));
    let part = String::from_utf8_lossy(part);
    let part = part.trim_matches(char::REPLACEMENT_CHARACTER);
    format!("{number}{sign}{left}{part}{right}\n")
}

fn mark(cut: bool) -> &'static str {
    if cut { "…" } else { "" }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn search(pattern: &str, pieces: &[&str], most: SearchLimit) -> SearchResult {
        let mut search = Search::new(compile(pattern).unwrap(), 1, most, None);
        for piece in pieces {
            search.push(piece.as_bytes());
        }
        search.finish()
    }

    const ALL: SearchLimit = SearchLimit { lines: 100, bytes: 10_000, context: 0 };

    #[test]
    fn lines_are_found_across_pieces_and_numbered() {
        let found = search("b+$", &["ab\nx", "\nab", "b\n\nbbb"], ALL);
        assert_eq!(found, SearchResult { text: "1:ab\n3:abb\n5:bbb\n".to_owned(), shown: 3, total: 3, last: 5 });
    }

    #[test]
    fn lines_around_a_match_come_with_it_once() {
        let text: String = (1..=12)
            .map(|n| format!("{}{n}\n", if [3, 4, 10].contains(&n) { "hit" } else { "no" }))
            .collect::<Vec<_>>()
            .concat();
        let found = search("hit", &[&text], SearchLimit { context: 2, ..ALL });
        let expected = "1-no1\n2-no2\n3:hit3\n4:hit4\n5-no5\n6-no6\n--\n8-no8\n9-no9\n10:hit10\n11-no11\n12-no12\n";
        assert_eq!((found.text.as_str(), found.shown, found.last), (expected, 3, 10));
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let text = "hit\n".repeat(50);
        let found = search("hit", &[&text], SearchLimit { lines: 2, ..ALL });
        assert_eq!(found, SearchResult { text: "1:hit\n2:hit\n".to_owned(), shown: 2, total: 50, last: 2 });
        let found = search("hit", &[&text], SearchLimit { bytes: 13, ..ALL });
        assert_eq!((found.shown, found.total), (2, 50));
    }

    #[test]
    fn of_a_long_line_the_match_is_shown() {
        let line = format!("{}needle{}", "x".repeat(100_000), "ä".repeat(100_000));
        let found = search("needle", &[&line], ALL);
        assert!(found.text.len() < LINE + 40, "{}", found.text.len());
        assert!(found.text.starts_with("1:…xxx") && found.text.contains("needleä") && found.text.ends_with("ä…\n"));
    }

    #[test]
    fn a_pattern_that_is_too_large_is_refused() {
        for pattern in ["(", &"a".repeat(MAX_PATTERN + 1), r"\pL{1000}{1000}"] {
            assert!(matches!(compile(pattern), Err(OverflowError::Pattern(_))), "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn pages_have_each_match_once_with_all_its_context(
            hits in prop::collection::vec(prop::bool::weighted(0.2), 0..120),
            context in 0..5_u64,
            lines in 1..9_u64,
            bytes in 120..400_usize,
        ) {
            let text: Vec<String> = hits.iter().map(|hit| if *hit { "hit\n" } else { "no\n" }.to_owned()).collect();
            let (mut shown, mut matched, mut first) = (std::collections::BTreeSet::new(), Vec::new(), 1);
            loop {
                let mut search = Search::new(compile("hit").unwrap(), first, SearchLimit { lines, bytes, context }, None);
                search.push(text[usize::try_from(first).unwrap() - 1..].concat().as_bytes());
                let found = search.finish();
                for line in found.text.lines().filter(|line| *line != "--") {
                    let number: usize = line.split([':', '-']).next().unwrap().parse().unwrap();
                    shown.insert(number);
                    matched.extend(line.contains(':').then_some(number));
                }
                prop_assert!(found.text.len() <= bytes && found.shown > 0 || found.total == 0, "{found:?}");
                if found.shown == found.total {
                    break;
                }
                first = found.last + 1;
            }
            let wanted: Vec<usize> = (1..=hits.len()).filter(|number| hits[number - 1]).collect();
            let context = usize::try_from(context).unwrap();
            let around = |number: usize| wanted.iter().any(|hit| hit.abs_diff(number) <= context);
            prop_assert_eq!(&matched, &wanted);
            prop_assert_eq!(shown.into_iter().collect::<Vec<_>>(), (1..=hits.len()).filter(|n| around(*n)).collect::<Vec<_>>());
        }
    }
}
