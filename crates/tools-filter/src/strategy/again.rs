//! Merges a line or block of lines that repeats immediately. Of identical repetitions the first is
//! shown; of repetitions that count on or differ in numbers only, the first and the last. A mark
//! counts the rest.

use std::collections::VecDeque;

use tools_core::FilterConfidence;

use super::{
    Reducer,
    dedup::template,
    findings::{is_file, names_numbered_file},
    runs::{ends_in_part_of_file, is_row, steps},
    unfinished::names_running,
};
use crate::{
    emit::{Emitter, marked},
    signal::{has_measurement, is_change, names_place, reports},
};

/// Maximum number of lines in a repeated block.
const MAX_BLOCK: usize = 24;
/// Maximum length in bytes of a line in a block; it bounds memory.
const MAX_LINE: usize = 4 << 10;

pub(crate) struct RepeatDetector {
    same: Same,
    /// The most recently emitted lines.
    shown: VecDeque<(String, Option<u64>)>,
    /// Number of lines in the repeated block; 0 outside a repetition.
    period: usize,
    /// Lines of the current repetition that have arrived so far.
    held: Vec<String>,
    /// Lines of complete repetitions, held while a mark would not be shorter than they are.
    few: Vec<String>,
    few_bytes: usize,
    lines: u64,
    times: u64,
    /// The last block of a repetition that is similar, not identical.
    last: Vec<String>,
    /// How much each number of each line grows from one block to the next.
    growth: Option<Vec<Vec<i64>>>,
    found: bool,
}

/// When two lines count as the same.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Same {
    /// They are identical.
    Exactly,
    /// They differ only in numbers that grow by a constant from block to block, so nothing is lost.
    /// Blocks need three lines or more, since shorter ones are mostly lists.
    Counting,
    /// They differ only in numbers, contain a message in words and report nothing.
    ButForNumbers,
}

impl Same {
    /// A hash that is equal for lines that are the same but for numbers.
    fn kind(self, line: &str) -> Option<u64> {
        let is_kind = match self {
            Self::Exactly => false,
            Self::Counting => may_count(line),
            Self::ButForNumbers => may_fold(line),
        };
        is_kind.then(|| template(line))
    }

    /// Minimum number of lines in a block.
    fn shortest(self) -> usize {
        if self == Self::Counting { 3 } else { 1 }
    }
}

/// Whether a line has numbers and may be left out when they follow from the lines shown.
fn may_count(line: &str) -> bool {
    line.bytes().any(|byte| byte.is_ascii_digit())
        && marked(line).is_none()
        && !is_row(line)
        && !ends_in_part_of_file(line)
        && !reports(line)
        && !names_place(line)
        && !names_numbered_file(line)
        && !names_running(line)
}

/// Whether a line has several decimal numbers or is mostly numbers, so it lists values.
fn has_values(line: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_decimal = |word: &&str| {
        let word = word.trim_matches(|c: char| !c.is_ascii_digit());
        word.split_once('.').is_some_and(|(whole, part)| is_number(whole) && is_number(part))
    };
    let (words, numbers) = line.split_whitespace().fold((0, 0), |(words, numbers), word| {
        (words + 1, numbers + usize::from(word.split(['.', ',']).all(is_number)))
    });
    (numbers > 1 && numbers * 2 >= words) || line.split([' ', '=', ':']).filter(is_decimal).nth(1).is_some()
}

fn is_same(a: &(String, Option<u64>), line: &str, kind: Option<u64>) -> bool {
    a.0 == line || (kind.is_some() && a.1 == kind)
}

/// Whether a line begins with a file name and a colon.
fn is_about_file(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    first.split_once(':').is_some_and(|(file, _)| is_file(file))
}

/// Whether a line is a message in words that may be folded with others. Rows of numbers, lists of
/// names, places and running tests may not.
fn may_fold(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let has_words = words.clone().count() > 1;
    has_words
        && words.any(|word| word.chars().filter(|c| c.is_alphabetic()).count() >= 3)
        && line.bytes().any(|byte| byte.is_ascii_digit())
        // A number in a file name identifies the file.
        && !line.contains(['/', '\\'])
        && !is_row(line)
        && !reports(line)
        && !names_place(line)
        && !names_running(line)
        && !has_measurement(line)
        && !has_values(line)
        && !is_change(line)
        && !is_about_file(line)
}

/// Approximate length of the mark in bytes.
const MARK: usize = 40;
/// Minimum number of lines to leave out when they are similar or count on.
const MIN_LINES: u64 = 4;

impl RepeatDetector {
    pub(crate) fn new(same: Same) -> Self {
        Self {
            same,
            shown: VecDeque::new(),
            period: 0,
            held: Vec::new(),
            few: Vec::new(),
            few_bytes: 0,
            lines: 0,
            times: 0,
            last: Vec::new(),
            growth: None,
            found: false,
        }
    }

    fn show(&mut self, line: &str, kind: Option<u64>, out: &mut Emitter<'_>) {
        out.keep(line);
        let mut oldest = if self.shown.len() == MAX_BLOCK { self.shown.pop_front() } else { None }.unwrap_or_default();
        line.clone_into(&mut oldest.0);
        oldest.1 = kind;
        self.shown.push_back(oldest);
    }

    /// The length of the block that begins with this line.
    fn begins(&self, line: &str, kind: Option<u64>) -> Option<usize> {
        if line.trim().is_empty() || line.len() > MAX_LINE || looks_like_a_hole(line) {
            return None;
        }
        (self.same.shortest()..=self.shown.len())
            .find(|period| is_same(&self.shown[self.shown.len() - period], line, kind))
    }

    fn repeated(&mut self, out: &mut Emitter<'_>) {
        if self.same == Same::Counting && !self.goes_on() {
            return self.end(out);
        }
        let mut block = std::mem::take(&mut self.held);
        if self.same != Same::Exactly {
            block = std::mem::replace(&mut self.last, block);
        }
        if block.is_empty() {
            return;
        }
        self.times += 1;
        for line in block {
            let weight = marked(&line).unwrap_or_else(|| u64::from(!line.trim().is_empty()));
            self.lines += weight;
            self.few_bytes += line.len() + 1;
            self.few.push(line);
        }
        if self.is_worth() {
            self.few.drain(..).for_each(|line| out.forget(&line));
        }
    }

    /// Whether the numbers of the repeated block grew by the same amounts as before.
    fn goes_on(&mut self) -> bool {
        let shown = self.shown.len() - self.period;
        let before = |at: usize| self.last.get(at).unwrap_or(&self.shown[shown + at].0);
        let grown = self.held.iter().enumerate().map(|(at, line)| {
            let before = before(at);
            if before == line { Some(Vec::new()) } else { steps(before, line) }
        });
        let Some(growth) = grown.collect::<Option<Vec<Vec<i64>>>>() else { return false };
        self.growth.get_or_insert_with(|| growth.clone()) == &growth
    }

    /// Whether a mark is shorter than the lines. For similar lines, also whether there are enough
    /// of them that they are not content.
    fn is_worth(&self) -> bool {
        let is_enough = match self.same {
            Same::Exactly => true,
            Same::Counting => self.times + 1 >= MIN_LINES,
            Same::ButForNumbers => self.lines >= MIN_LINES,
        };
        self.few_bytes > MARK && is_enough
    }

    fn end(&mut self, out: &mut Emitter<'_>) {
        if self.is_worth() {
            self.found = true;
            let lines = self.lines;
            let word = if lines == 1 { "line" } else { "lines" };
            let times = times(self.times);
            out.write(&match (self.same, self.period) {
                (Same::Exactly, 1) => format!("[… {lines} {word}, the same as above]"),
                (Same::Exactly, block) => format!("[… {lines} {word}, the {block} above {times} more]"),
                (Same::Counting, block) => format!("[… {lines} {word}, the {block} above counting on, {times}]"),
                (Same::ButForNumbers, 1) => format!("[… {lines} {word} like it]"),
                (Same::ButForNumbers, block) => format!("[… {lines} {word} like the {block} above, {times}]"),
            });
        } else {
            for line in std::mem::take(&mut self.few) {
                out.keep(&line);
            }
        }
        self.period = 0;
        self.growth = None;
        self.few.clear();
        (self.few_bytes, self.lines, self.times) = (0, 0, 0);
        for line in std::mem::take(&mut self.last).into_iter().chain(std::mem::take(&mut self.held)) {
            let kind = self.same.kind(&line);
            self.show(&line, kind, out);
        }
    }
}

fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// Whether a line looks like a mark of any stage; a program may print such a line itself.
fn looks_like_a_hole(line: &str) -> bool {
    line.trim_start().starts_with("[… ")
}

impl Reducer for RepeatDetector {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if looks_like_a_hole(line) && marked(line).is_none() {
            // A mark stands for an unknown number of lines, so it is part of no block.
            if self.period > 0 {
                self.end(out);
            }
            self.shown.clear();
            return out.keep(line);
        }
        let kind = self.same.kind(line);
        if self.period > 0 {
            let expected = &self.shown[self.shown.len() - self.period + self.held.len()];
            if is_same(expected, line, kind) {
                self.held.push(line.to_owned());
                if self.held.len() == self.period {
                    self.repeated(out);
                }
                return;
            }
            self.end(out);
        }
        let Some(period) = self.begins(line, kind) else { return self.show(line, kind, out) };
        self.period = period;
        self.held.push(line.to_owned());
        if period == 1 {
            self.repeated(out);
        }
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        if self.period > 0 {
            self.end(out);
        }
        self.found.then_some(FilterConfidence::Full)
    }
}
