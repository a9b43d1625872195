//! `runs`: of consecutive lines that differ in nothing but numbers, the first few and the last stay; or, without any loss,
//! of lines that are the same or count up.

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::FilterConfidence;

use super::{Facts, Reducer, Strategy, dedup::template, unfinished::names_running};
use crate::{emit::Emitter, signal::reports};

/// Parameters of `runs`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Runs {
    /// Lines shown at the beginning of a run.
    pub keep: usize,
    /// Whether only lines are left out that are the same as the one before, or count up from it.
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
            return Box::<Counting>::default();
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
        let may_repeat = line.bytes().any(|byte| byte.is_ascii_digit()) && !reports(line) && !names_running(line);
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

/// Lines that are the same, or that count up in one place.
#[derive(Default)]
struct Counting {
    last: Option<String>,
    step: Option<Step>,
    /// Lines left out since the first of the run, without the last.
    hidden: u64,
    /// The first of them, which is shown if it stays the only one.
    only: Option<String>,
    found: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Same,
    Up,
}

impl Counting {
    fn end(&mut self, out: &mut Emitter<'_>) {
        let Some(last) = self.last.take() else { return };
        let hidden = std::mem::take(&mut self.hidden);
        match self.step.take() {
            Some(Step::Same) => out.write(&format!("{last} [×{}]", hidden + 2)),
            Some(Step::Up) if hidden == 1 => {
                self.only.take().iter().chain([&last]).for_each(|line| out.keep(line));
            }
            Some(Step::Up) if hidden > 1 => {
                out.write(&format!("[… {hidden} more, counting up to]"));
                out.keep(&last);
            }
            _ => out.keep(&last),
        }
    }
}

impl Reducer for Counting {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let step = self.last.as_deref().filter(|_| !reports(line)).and_then(|last| step(last, line));
        match (step, self.step) {
            (Some(step), None) => {
                // The first of a run that counts up stands before the note about it.
                if let (Step::Up, Some(last)) = (step, self.last.take()) {
                    out.keep(&last);
                } else {
                    self.found = true;
                    out.fold(line);
                }
                self.step = Some(step);
            }
            (Some(step), Some(before)) if step == before => {
                self.found = true;
                self.hidden += 1;
                match (step, self.last.take()) {
                    (Step::Up, Some(last)) if self.hidden == 1 => self.only = Some(last),
                    (Step::Up, Some(last)) => {
                        self.only.take().iter().chain([&last]).for_each(|line| out.fold(line));
                    }
                    _ => out.fold(line),
                }
            }
            _ => self.end(out),
        }
        self.last = Some(line.to_owned());
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.end(out);
        self.found.then_some(FilterConfidence::Full)
    }
}

/// How the second line follows from the first.
fn step(before: &str, line: &str) -> Option<Step> {
    if line.trim().is_empty() {
        return None;
    }
    if before == line {
        return Some(Step::Same);
    }
    // The first place where they differ must be in a number, all of it, and the only one.
    let (a, b) = (before.as_bytes(), line.as_bytes());
    let start = a.iter().zip(b).position(|(a, b)| a != b)?;
    let start = a[..start].iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |at| at + 1);
    let digits = |text: &[u8]| text[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (end_a, end_b) = (start + digits(a), start + digits(b));
    if end_a == start || end_b == start || end_a - start > 9 || end_b - start > 9 || a[end_a..] != b[end_b..] {
        return None;
    }
    let number = |text: &str| text.parse::<u64>().ok();
    let (x, y) = (number(&before[start..end_a])?, number(&line[start..end_b])?);
    (x + 1 == y).then_some(Step::Up)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_follow_from_one_another() {
        let table = [
            ("a[09]", "a[10]", Some(Step::Up)),
            ("a[9] b", "a[10] b", Some(Step::Up)),
            ("x", "x", Some(Step::Same)),
            ("a[1] b[1]", "a[2] b[2]", None),
            ("a[1]", "a[3]", None),
            ("a[2]", "a[1]", None),
            ("a", "b", None),
            ("", "", None),
            ("é1", "é2", Some(Step::Up)),
            ("é", "è", None),
        ];
        for (before, line, expected) in table {
            assert_eq!(step(before, line), expected, "{before} / {line}");
        }
    }
}
