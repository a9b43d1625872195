//! Joins consecutive lines that differ in one stretch: the common text is written once, with all
//! variants between braces, in order. Nothing is left out. Among lines that report something the
//! first few stay, and small groups stay whole. Lines with a place, a running test or a diff change
//! stay.

use tools_core::FilterConfidence;

use super::{Reducer, places::is_place, unfinished::names_running};
use crate::{
    emit::{Emitter, marked},
    signal::{has_measurement, is_change, names_place, reports},
};

/// Minimum number of lines to join.
const MIN_LINES: usize = 4;
/// Number of reporting lines shown as they are, and minimum number of further ones to join.
const SHOWN_REPORTS: usize = 3;
const MIN_REPORTS: usize = 8;
/// Minimum length in bytes of the common text.
const MIN_COMMON_BYTES: usize = 6;
/// Maximum length in bytes and number of words of the stretch that differs.
const MAX_STRETCH: (usize, usize) = (80, 4);
/// Maximum length in bytes of a line to join.
const MAX_LINE_BYTES: usize = 400;
/// Maximum total bytes joined into one line.
const MAX_HELD_BYTES: usize = 4 << 10;

#[derive(Default)]
pub(crate) struct Alternatives {
    lines: Vec<String>,
    bytes: usize,
    /// Lengths of the common beginning and the common end.
    around: (usize, usize),
    found: bool,
}

/// Whether a line may be joined. It must not contain the separators between variants.
fn may_join(line: &str) -> bool {
    line.len() <= MAX_LINE_BYTES
        && !line.contains(['{', '}', '\t'])
        && !is_change(line)
        && marked(line).is_none()
        && !line.trim_start().starts_with("[… ")
}

/// Whether a line has no place, no test and no measurement. Called only for lines that share much
/// with another one, which is rare.
fn is_placeless(line: &str) -> bool {
    !names_place(line) && !names_running(line) && !ends_in_place(line) && !has_measurement(line)
}

/// Whether the last word of a line is a place: findings stay as they are.
fn ends_in_place(line: &str) -> bool {
    line.rsplit(' ').next().is_some_and(is_place)
}

/// Whether this byte separates words.
fn parts(byte: u8) -> bool {
    matches!(byte, b' ' | b'(' | b')' | b'"' | b'\'')
}

/// Lengths of the common beginning and end, up to whole words, quotations or parentheses.
fn common(a: &str, b: &str) -> (usize, usize) {
    let (x, y) = (a.as_bytes(), b.as_bytes());
    let same = x.iter().zip(y).take_while(|(a, b)| a == b).count();
    let start = x[..same].iter().rposition(|byte| parts(*byte)).map_or(0, |at| at + 1);
    let end = x[start..].iter().rev().zip(y[start..].iter().rev()).take_while(|(a, b)| a == b).count();
    let tail = &x[x.len() - end..];
    let end = tail.iter().position(|byte| parts(*byte)).map_or(0, |at| tail.len() - at);
    (start, end)
}

/// The text between the common ends; `None` when it is empty, too long, or has the blanks of a
/// table.
fn stretch(line: &str, (start, end): (usize, usize)) -> Option<&str> {
    let text = line.get(start..line.len().checked_sub(end)?)?;
    let is_short = text.len() <= MAX_STRETCH.0 && text.split(' ').count() <= MAX_STRETCH.1;
    (is_short
        && !text.is_empty()
        && !text.contains(", ")
        && !text.starts_with(' ')
        && !text.ends_with(' ')
        && !text.contains("  "))
    .then_some(text)
}

fn is_enough(line: &str, (start, end): (usize, usize)) -> bool {
    line[..start].trim().len() + end >= MIN_COMMON_BYTES && line[..start].bytes().any(|b| b.is_ascii_alphabetic())
}

impl Alternatives {
    /// Whether the line has the common ends of the held lines.
    fn goes_on(&self, line: &str) -> bool {
        let Some(first) = self.lines.first() else { return false };
        let (start, end) = self.around;
        self.bytes < MAX_HELD_BYTES
            && line.len() > start + end
            && line.as_bytes()[..start] == first.as_bytes()[..start]
            && line.as_bytes()[line.len() - end..] == first.as_bytes()[first.len() - end..]
            && stretch(line, self.around).is_some()
            && is_placeless(line)
    }

    fn hold(&mut self, line: &str) {
        self.bytes += line.len();
        self.lines.push(line.to_owned());
    }

    fn end(&mut self, out: &mut Emitter<'_>) {
        let lines = std::mem::take(&mut self.lines);
        self.bytes = 0;
        let is_report = lines.len() >= MIN_LINES && lines.iter().any(|line| reports(line));
        let (shown, least) = if is_report { (SHOWN_REPORTS, MIN_REPORTS) } else { (0, MIN_LINES) };
        let written = if lines.len() < least { None } else { joined(&lines[shown..], self.around) };
        let Some(written) = written else { return lines.iter().for_each(|line| out.keep(line)) };
        self.found = true;
        lines[..shown].iter().for_each(|line| out.keep(line));
        for line in &lines[shown..] {
            out.forget(line);
        }
        out.write(&written);
    }
}

/// The lines joined into one; `None` when that saves too little.
fn joined(lines: &[String], around: (usize, usize)) -> Option<String> {
    let first = lines.first()?;
    let stretches: Vec<&str> = lines.iter().map(|line| stretch(line, around)).collect::<Option<_>>()?;
    let text = format!("{}{{{}}}{}", &first[..around.0], stretches.join(", "), &first[first.len() - around.1..]);
    let bytes: usize = lines.iter().map(|line| line.len() + 1).sum();
    (text.len() * 8 < bytes * 7).then_some(text)
}

impl Reducer for Alternatives {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if !may_join(line) {
            self.end(out);
            return out.keep(line);
        }
        if self.lines.len() > 1 && self.goes_on(line) {
            return self.hold(line);
        }
        if let [first] = self.lines.as_slice() {
            let around = common(first, line);
            let is_pair = is_enough(first, around) && stretch(first, around).is_some();
            if is_pair && stretch(line, around).is_some() && first != line && is_placeless(first) && is_placeless(line)
            {
                self.around = around;
                return self.hold(line);
            }
        }
        // If two held lines share little, the second may still start a group with this line.
        let last = if self.lines.len() == 2 { self.lines.pop() } else { None };
        self.end(out);
        if let Some(last) = last {
            self.hold(&last);
            return self.line(line, out);
        }
        self.hold(line);
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.end(out);
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Exit, FilterPipeline};

    fn filtered(text: &str) -> String {
        FilterPipeline::builtin().filter("./run.sh", Exit::Code(0), text.as_bytes()).text
    }

    #[test]
    fn what_differs_stands_between_braces() {
        let table = [
            (
                "UNMET DEPENDENCY express@4.16.0\nUNMET DEPENDENCY glob@^7.1.0\nUNMET DEPENDENCY uuid@^9.0.0\n\
                 UNMET DEPENDENCY rimraf@^2.6.3\ndone\n",
                "UNMET DEPENDENCY {express@4.16.0, glob@^7.1.0, uuid@^9.0.0, rimraf@^2.6.3}\ndone\n",
            ),
            (
                "ok: [web-a] => ready now\nok: [web-b] => ready now\nok: [db] => ready now\nok: [cache] => ready now\n",
                "ok: {[web-a], [web-b], [db], [cache]} => ready now\n",
            ),
            // Too few; rows of a table; what has commas itself.
            (
                "would write alpha\nwould write beta\nwould write gamma\n",
                "would write alpha\nwould write beta\nwould write gamma\n",
            ),
            (
                "copied a, b here\ncopied c, d here\ncopied e, f here\ncopied g, h here\n",
                "copied a, b here\ncopied c, d here\ncopied e, f here\ncopied g, h here\n",
            ),
        ];
        for (text, expected) in table {
            assert_eq!(filtered(text), expected);
        }
    }

    #[test]
    fn common_ends_are_whole_words() {
        assert_eq!(common("rm 'file_a' now", "rm 'file_b' now"), (4, 5));
        assert_eq!(common("a b", "a b"), (2, 0));
        assert_eq!(common("x", ""), (0, 0));
        assert_eq!(common("né à", "né è"), (4, 0));
    }

    proptest! {
        /// All names are in the result, and a failure at any position stands as it was.
        #[test]
        fn nothing_is_lost_between_braces(
            names in prop::collection::vec("[a-zé]{3,12}(-[a-z]{2,4})?", 4..60),
            at in any::<prop::sample::Index>(),
        ) {
            let failure = "linked object refused: access denied for part 7";
            let mut lines: Vec<String> = names.iter().map(|name| format!("linked object {name} into place")).collect();
            lines.insert(at.index(lines.len() + 1), failure.to_owned());
            let shown = filtered(&(lines.join("\n") + "\n"));
            prop_assert!(shown.lines().any(|line| line == failure), "{shown}");
            for name in &names {
                prop_assert!(shown.contains(name.as_str()), "{name}: {shown}");
            }
        }
    }
}
