//! Drops the source that a tool prints under a place, since it is in the file at that place; marks
//! under it add nothing when the place has line and column. The first snippet keeps its source
//! line; all others are counted. Words next to a mark and all other lines stay.

use std::sync::LazyLock;

use regex::Regex;
use tools_core::FilterConfidence;

use super::Reducer;
use crate::{
    emit::{Emitter, marked},
    lines::regex,
    signal::reports,
};

/// Number of snippets that keep their source line.
const SHOWN_SNIPPETS: usize = 1;
/// Maximum distance between line numbers of a place and its source.
const NEAR: u32 = 12;
/// The same when no separator follows the line number.
const NEAR_BARE: u32 = 3;
/// Maximum length in bytes of a line to hold.
const MAX_LINE: usize = 4 << 10;

#[derive(Default)]
pub(crate) struct Snippets {
    /// The line number of the last place.
    row: Option<u32>,
    /// Whether source was shown under it.
    is_inside: bool,
    /// Whether only blank lines follow the place so far.
    is_below: bool,
    /// Whether the previous line named a place.
    after_place: bool,
    /// The previous line, and whether it may be the source of a place above: it is when marks
    /// follow.
    last: Option<(String, bool)>,
    /// A line and the marks under it, whose place may be in the next line.
    pair: Option<(String, String)>,
    count: usize,
    /// Whether the source that follows belongs to a library.
    is_library: bool,
    found: bool,
}

/// `file.js:12:3`, `file.ts(12,3)`. The column is required, since otherwise only the marks show it.
static PLACE: LazyLock<Regex> =
    LazyLock::new(|| regex(r"[\w)\]]\.[A-Za-z]\w{0,7}(?::(\d{1,7}):\d+\b|\((\d{1,7}),\d+\))"));

fn place(line: &str) -> Option<u32> {
    if !line.contains([':', '(']) || line.len() > 2000 {
        return None;
    }
    let found = PLACE.captures(line)?;
    found.get(1).or_else(|| found.get(2))?.as_str().parse().ok()
}

/// The line number before the bar of a source line: `> 12 | text`, ` 3 4 │ text` of a diff, or
/// before a tab.
pub(super) fn number(line: &str) -> Option<u32> {
    let (before, _) = line.split_once(['|', '│', '\t'])?;
    let before = before.trim_start().trim_start_matches(['>', '×']).trim();
    let mut numbers = before.split_ascii_whitespace();
    let first = numbers.next()?.parse().ok();
    (numbers.all(|more| more.parse::<u32>().is_ok()) && before.len() < 16).then_some(first)?
}

/// The line number before a source line without a separator: `12    text`. One blank is enough for
/// the line of the place itself.
fn bare_number(line: &str, row: u32) -> Option<u32> {
    let text = line.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number = text.get(..digits)?.parse().ok()?;
    let blanks = text[digits..].bytes().take_while(|byte| *byte == b' ').count();
    (blanks > usize::from(number != row) && !reports(line)).then_some(number)
}

/// Whether a line has only marks that point to the line above.
pub(super) fn marks(line: &str) -> bool {
    let text = line.trim();
    text.contains(['^', '~']) && text.bytes().all(|byte| b"^~ \t-".contains(&byte))
}

/// Whether a line only points into the source above it.
pub(super) fn points(line: &str) -> bool {
    let text = line.trim();
    let mut begins = text.chars();
    begins.next().is_some_and(|first| "|│:·^~╭╰`,┆─┬╵╷".contains(first))
        && !text.is_empty()
        && text.chars().all(|c| " |│:·^~╭╰─┬┴┆`,-.>╵╷".contains(c))
}

/// Whether a line is the heading of a failed test's output: `---- tests::adds ----`.
fn names_test(line: &str) -> bool {
    line.starts_with("---- ") && line.ends_with(" ----")
}

impl Snippets {
    /// Counts a source line, or shows it if it is one of the few to show.
    fn source(&mut self, line: &str, is_at_place: bool, out: &mut Emitter<'_>) {
        if is_at_place && self.count <= SHOWN_SNIPPETS && !self.is_library {
            out.keep(line);
        } else {
            self.found = true;
            out.omit(line);
        }
    }

    fn other(&mut self, line: &str, out: &mut Emitter<'_>) {
        if let Some(row) = self.row {
            let bare = || bare_number(line, row).filter(|number| number.abs_diff(row) <= NEAR_BARE);
            let is_next = self.is_inside || self.is_below;
            if let Some(number) = number(line)
                .filter(|number| number.abs_diff(row) <= NEAR)
                .or_else(|| if is_next { bare() } else { None })
            {
                if !std::mem::replace(&mut self.is_inside, true) {
                    self.count += 1;
                }
                return self.source(line, number == row, out);
            }
            if self.is_inside && points(line) {
                return self.source(line, false, out);
            }
        }
        self.is_below &= line.trim().is_empty();
        if let Some(row) = place(line) {
            self.row = Some(row);
            self.is_inside = false;
            (self.is_below, self.after_place) = (true, true);
        }
        out.keep(line);
    }
}

impl Reducer for Snippets {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if line.starts_with("node:internal/") && line.ends_with(|c: char| c.is_ascii_digit()) {
            self.finish(out);
            (self.is_library, self.after_place, self.found) = (true, true, true);
            return out.omit(line);
        }
        if let Some((source, below)) = self.pair.take() {
            if line.trim_start().starts_with("at ")
                && place(line).is_some()
                && !reports(&source)
                && !names_test(&source)
            {
                self.count += 1;
                self.source(&source, true, out);
                self.source(&below, false, out);
            } else {
                self.other(&source, out);
                self.other(&below, out);
            }
        }
        if let Some((last, may_be_source)) = self.last.take() {
            if marks(line) && line.len() < MAX_LINE {
                if may_be_source {
                    self.count += 1;
                    self.source(&last, true, out);
                    return self.source(line, false, out);
                }
                self.pair = Some((last, line.to_owned()));
                return;
            }
            self.other(&last, out);
        }
        let is_next = std::mem::take(&mut self.after_place);
        if line.len() >= MAX_LINE {
            return self.other(line, out);
        }
        let says_something = !line.trim().is_empty() && marked(line).is_none();
        // Without a line number it might be a message whose own source was left out above its
        // marks.
        let is_bare = number(line).is_none() && place(line).is_none() && !reports(line) && !names_test(line);
        let may_be_source = is_next && says_something && is_bare;
        self.last = Some((line.to_owned(), may_be_source));
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        let pair = self.pair.take().into_iter().flat_map(|(source, below)| [source, below]);
        for line in pair.chain(self.last.take().map(|(line, _)| line)) {
            self.other(&line, out);
        }
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_number_is_that_of_the_place() {
        for (line, expected) in [
            ("12 let x = 3;", Some(12)),
            ("13 let x = 3;", None),
            ("   13   let x = 3;", Some(13)),
            ("12 errors", None),
            ("let x", None),
            ("12", None),
        ] {
            assert_eq!(bare_number(line, 12), expected, "{line}");
        }
    }

    #[test]
    fn source_is_told_from_what_is_said_of_it() {
        for (line, expected) in [
            ("  > 12 │ let x", Some(12)),
            ("    1   │ - var", Some(1)),
            ("   3 4 │   same", Some(3)),
            ("12 | x", Some(12)),
            (" 3 rows | x", None),
            ("12\tdef f():", Some(12)),
            ("text", None),
        ] {
            assert_eq!(number(line), expected, "{line}");
        }
        for (line, expected) in [("    ^~~", true), ("  ^^^ here", false), ("---", false), ("", false)] {
            assert_eq!(marks(line), expected, "{line}");
        }
        for (line, expected) in [
            ("      │     ^^", true),
            ("   :   ^^^^", true),
            ("   `----", true),
            ("   |   ^^^ expected `u32`", false),
            ("", false),
            ("- item", false),
        ] {
            assert_eq!(points(line), expected, "{line}");
        }
        assert_eq!(place("src/m.js:2:14 lint/x"), Some(2));
        assert_eq!(place("src/m.ts(12,4): error"), Some(12));
        assert_eq!(place("   ,-[src/a.js:3:58]"), Some(3));
        assert_eq!(place("In a.sh line 3:"), None);
    }
}
