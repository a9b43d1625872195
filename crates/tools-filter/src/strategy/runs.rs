//! `runs`: of consecutive lines that differ only in numbers, the first few and the last stay.
//! Lossless mode shortens only lines whose numbers grow by constant steps.

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::FilterConfidence;

use super::{
    Facts, Reducer, Strategy,
    dedup::template,
    findings::{is_file, names_numbered_file},
    unfinished::names_running,
};
use crate::{
    emit::{Emitter, marked},
    signal::{has_measurement, names_place, reports},
};

/// Parameters of `runs`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Runs {
    /// Lines shown at the beginning of a run.
    pub keep: usize,
    /// Whether lines are left out only if all their numbers grow by constant steps, so that they
    /// follow from the lines shown.
    pub lossless: bool,
}

impl Default for Runs {
    fn default() -> Self {
        Self { keep: 1, lossless: false }
    }
}

impl Strategy for Runs {
    fn start(&self, _: &Facts) -> Box<dyn Reducer> {
        if self.lossless {
            return Box::<CountingRun>::default();
        }
        Box::new(Machine { keep: self.keep, kind: None, count: 0, last: None, found: false })
    }
}

struct Machine {
    keep: usize,
    kind: Option<u64>,
    count: usize,
    /// The last line of the run, shown when it ends.
    last: Option<String>,
    found: bool,
}

impl Machine {
    fn end(&mut self, out: &mut Emitter<'_>) {
        self.count = 0;
        if let Some(last) = self.last.take() {
            out.keep(&last);
        }
    }
}

impl Reducer for Machine {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let may_repeat = line.bytes().any(|byte| byte.is_ascii_digit())
            && !reports(line)
            && !names_place(line)
            && !names_running(line)
            && !has_measurement(line)
            && marked(line).is_none();
        let kind = may_repeat.then(|| template(line));
        if kind.is_none() || kind != self.kind {
            self.end(out);
            self.kind = kind;
        }
        self.count += 1;
        if kind.is_none() || self.count <= self.keep {
            return out.keep(line);
        }
        if let Some(last) = self.last.replace(line.to_owned()) {
            self.found = true;
            out.omit(&last);
        }
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.end(out);
        self.found.then_some(FilterConfidence::Full)
    }
}

/// Consecutive lines in which each number grows by a constant step, so the lines between the first
/// and the last follow from those two.
#[derive(Default)]
pub(crate) struct CountingRun {
    last: Option<String>,
    steps: Option<Vec<i64>>,
    /// Number of lines left out since the first of the run, without the last.
    hidden: u64,
    /// The lines left out, while they are few enough to be shown.
    few: Vec<String>,
    found: bool,
}

/// Whether a line is a row of data: cells separated by bars, tabs or commas, at least three cells
/// aligned by blanks, or a member of an object. The user asked for each of them.
pub(super) fn is_row(line: &str) -> bool {
    let bars = line.bytes().filter(|byte| matches!(byte, b'|' | b'\t')).count();
    bars > 1
        || is_member(line)
        || line.trim_start().starts_with(['│', '┃', '║'])
        || (!line.starts_with(' ') && line.split("  ").filter(|cell| !cell.trim().is_empty()).nth(2).is_some())
        || (line.matches(',').count() > 1 && !line.contains(", "))
}

/// Whether a line is a member of an object, as JSON, Node or Python print it, or an XML element.
/// The user asked for each of them, as for rows.
fn is_member(line: &str) -> bool {
    let text = line.trim_start().trim_start_matches(['{', '[']);
    let quote = text.chars().next().filter(|first| matches!(first, '"' | '\''));
    let is_key = |key: &str| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    quote.is_some_and(|quote| text[1..].split_once(quote).is_some_and(|(_, rest)| rest.starts_with(": ")))
        || (text.len() < line.len() && text.ends_with(',') && text.split_once(": ").is_some_and(|(key, _)| is_key(key)))
        || (text.starts_with('<') && text.contains("</"))
}

/// Whether the last word of a line names a part of a file: `6 5 rule_1@36-41@shop/basket.py`.
pub(super) fn ends_in_part_of_file(line: &str) -> bool {
    line.trim_end().rsplit(' ').next().is_some_and(|word| word.contains('@') && is_file(word))
}

/// Minimum number of lines to leave out.
const MIN_REPEATS: u64 = 3;

impl CountingRun {
    fn hide(&mut self, line: String, out: &mut Emitter<'_>) {
        self.hidden += 1;
        if self.hidden < MIN_REPEATS {
            return self.few.push(line);
        }
        self.found = true;
        self.few.drain(..).for_each(|line| out.forget(&line));
        out.forget(&line);
    }

    fn end(&mut self, out: &mut Emitter<'_>) {
        self.steps = None;
        let hidden = std::mem::take(&mut self.hidden);
        if hidden >= MIN_REPEATS {
            out.write(&format!("[… {hidden} lines, counting on]"));
        }
        self.few.drain(..).for_each(|line| out.keep(&line));
        if let Some(last) = self.last.take() {
            out.keep(&last);
        }
    }
}

impl Reducer for CountingRun {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let may_count = !is_row(line)
            && !reports(line)
            && !names_place(line)
            && !names_running(line)
            && !names_numbered_file(line)
            && !ends_in_part_of_file(line)
            && marked(line).is_none();
        let steps = self.last.as_deref().filter(|_| may_count).and_then(|last| steps(last, line));
        if steps.is_none() || (self.steps.is_some() && self.steps != steps) {
            self.end(out);
        } else if self.steps.is_some() {
            if let Some(last) = self.last.take() {
                self.hide(last, out);
            }
        } else if let Some(first) = self.last.take() {
            self.steps = steps;
            out.keep(&first);
        }
        self.last = Some(line.to_owned());
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.end(out);
        self.found.then_some(FilterConfidence::Full)
    }
}

/// Maximum number of digits of a counting number.
const MAX_DIGITS: usize = 9;

/// The increment of each number from the first line to the second. `None` when the lines are equal,
/// or differ in more than numbers and the blanks that align them.
pub(super) fn steps(before: &str, line: &str) -> Option<Vec<i64>> {
    let (mut a, mut b) = (before, line);
    let mut steps = Vec::new();
    loop {
        let (text_a, number_a, rest_a) = piece(a);
        let (text_b, number_b, rest_b) = piece(b);
        let is_same = text_a == text_b || text_a.trim_end_matches(' ') == text_b.trim_end_matches(' ');
        if !is_same || number_a.is_empty() != number_b.is_empty() {
            return None;
        }
        if number_a.is_empty() {
            return steps.iter().any(|step| *step != 0).then_some(steps);
        }
        // Leading zeros are part of the number: `007` is followed by `008`.
        let is_padded = |number: &str| number.len() > 1 && number.starts_with('0');
        if number_a.len() > MAX_DIGITS || number_b.len() > MAX_DIGITS {
            if number_a != number_b {
                return None;
            }
            steps.push(0);
        } else if (is_padded(number_a) || is_padded(number_b)) && number_a.len() != number_b.len() {
            return None;
        } else {
            steps.push(number_b.parse::<i64>().ok()? - number_a.parse::<i64>().ok()?);
        }
        (a, b) = (rest_a, rest_b);
    }
}

/// The text before a number, the number, and the text after it.
fn piece(text: &str) -> (&str, &str, &str) {
    let start = text.bytes().position(|byte| byte.is_ascii_digit()).unwrap_or(text.len());
    let length = text[start..].bytes().take_while(u8::is_ascii_digit).count();
    (&text[..start], &text[start..start + length], &text[start + length..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_follow_from_one_another() {
        let table: &[(&str, &str, Option<&[i64]>)] = &[
            ("a[09]", "a[10]", Some(&[1])),
            ("a[9] b", "a[10] b", Some(&[1])),
            ("x", "x", None),
            ("a 1", "a 1", None),
            ("a[1] b[1]", "a[2] b[2]", Some(&[1, 1])),
            ("   9 |    90", "  10 |   100", Some(&[1, 10])),
            ("a[2]", "a[1]", Some(&[-1])),
            ("a 99", "a 100", Some(&[1])),
            ("a 09", "a 010", None),
            ("1234567890 1", "1234567890 2", Some(&[0, 1])),
            ("1234567890", "1234567891", None),
            ("a", "b", None),
            ("", "", None),
            ("é1", "é2", Some(&[1])),
            ("é1", "è2", None),
            ("1a", "1", None),
        ];
        for (before, line, expected) in table {
            assert_eq!(steps(before, line).as_deref(), *expected, "{before} / {line}");
        }
    }

    #[test]
    fn rows_of_data_are_told_from_lines_that_count() {
        let table = [
            ("1,user 1,u1@example.com", true),
            (" 1 | user 1 | u1@example.com", true),
            ("1\tuser 1\tx", true),
            ("epoch 1, step 2, loss 3", false),
            ("worker 1 | started", false),
            ("part 1 of 30", false),
        ];
        for (line, expected) in table {
            assert_eq!(is_row(line), expected, "{line}");
        }
    }
}
