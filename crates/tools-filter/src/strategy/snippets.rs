//! The piece of source that a tool prints under a place: it stands in the file at that place. The first few are shown, of the
//! others the lines are counted. What a mark under the source says, and everything else, stays.

use std::sync::LazyLock;

use regex::Regex;
use tools_core::FilterConfidence;

use super::Reducer;
use crate::{emit::Emitter, lines::regex};

/// So many are shown.
const SHOWN: usize = 3;
/// Source further from the place is none of it.
const NEAR: u32 = 12;

#[derive(Default)]
pub(crate) struct Snippets {
    /// The line of the place that was named last.
    row: Option<u32>,
    /// Whether source was shown under it.
    is_inside: bool,
    count: usize,
    found: bool,
}

/// `file.js:12:3`: without a column the marks under the source are all that names it.
static PLACE: LazyLock<Regex> = LazyLock::new(|| regex(r"[\w)\]]\.[A-Za-z]\w{0,7}:(\d{1,7}):\d+\b"));

fn place(line: &str) -> Option<u32> {
    if !line.contains(':') || line.len() > 2000 {
        return None;
    }
    PLACE.captures(line)?.get(1)?.as_str().parse().ok()
}

/// The number before the bar of a line of source: `> 12 | text`, ` 3 4 │ text` of a difference.
fn number(line: &str) -> Option<u32> {
    let (before, _) = line.split_once(['|', '│'])?;
    let before = before.trim_start().trim_start_matches(['>', '×']).trim();
    let mut numbers = before.split_ascii_whitespace();
    let first = numbers.next()?.parse().ok();
    (numbers.all(|more| more.parse::<u32>().is_ok()) && before.len() < 16).then_some(first)?
}

/// Whether a line only points into the source above it.
fn points(line: &str) -> bool {
    let text = line.trim();
    let mut begins = text.chars();
    begins.next().is_some_and(|first| "|│:·^~╭╰`,┆─┬".contains(first))
        && !text.is_empty()
        && text.chars().all(|c| " |│:·^~╭╰─┬┴┆`,-.>".contains(c))
}

impl Reducer for Snippets {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let near = |row: u32| number(line).is_some_and(|number| number.abs_diff(row) <= NEAR);
        if let Some(row) = self.row {
            if near(row) {
                if !std::mem::replace(&mut self.is_inside, true) {
                    self.count += 1;
                }
                if self.count > SHOWN {
                    self.found = true;
                    return out.omit(line);
                }
                return out.keep(line);
            }
            if self.is_inside && self.count > SHOWN && points(line) {
                self.found = true;
                return out.omit(line);
            }
        }
        if let Some(row) = place(line) {
            self.row = Some(row);
            self.is_inside = false;
        }
        out.keep(line);
    }

    fn finish(&mut self, _: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_is_told_from_what_is_said_of_it() {
        for (line, expected) in [
            ("  > 12 │ let x", Some(12)),
            ("    1   │ - var", Some(1)),
            ("   3 4 │   same", Some(3)),
            ("12 | x", Some(12)),
            (" 3 rows | x", None),
            ("text", None),
        ] {
            assert_eq!(number(line), expected, "{line}");
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
        assert_eq!(place("   ,-[src/a.js:3:58]"), Some(3));
        assert_eq!(place("In a.sh line 3:"), None);
    }
}
