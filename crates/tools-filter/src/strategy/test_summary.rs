//! `test_summary`: of a test run the failures and the summary stay; what passed is counted where it stood. Knows the lines of cargo test, nextest, pytest,
//! unittest, go test, jest, vitest, mocha, rspec, dotnet, maven, gradle and TAP.

use std::{collections::HashSet, sync::LazyLock};

use regex::Regex;
use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::FilterConfidence;

use super::{Facts, Reducer, Strategy, clip::Clip, unfinished::Unfinished};
use crate::{
    emit::Emitter,
    lines::regex,
    table::{
        HEADING, HINT, INNER, JS_FAILURE, JS_SOURCE, MARKED, NESTED, NOISE, PANIC, PASSED, PYTHON, SAYS, SOURCE,
        SUMMARY, WARNINGS,
    },
};

/// Parameters of `test_summary`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TestSummary {
    /// What tests printed is shown for so many failures; name and message are shown for all.
    pub max_failures: usize,
    /// Lines of a stack trace that are shown.
    pub truncate_stack_trace: usize,
}

impl Default for TestSummary {
    fn default() -> Self {
        Self { max_failures: 10, truncate_stack_trace: 50 }
    }
}

impl Strategy for TestSummary {
    fn start(&self, _: &Facts) -> Box<dyn Reducer> {
        Box::new(Machine {
            limits: self.clone(),
            part: Part::Run,
            failures: 0,
            named: HashSet::new(),
            pending: Vec::new(),
            found: false,
            summed_up: false,
            unfinished: Unfinished::default(),
            open: None,
            progress: Vec::new(),
            said: Vec::new(),
            source: None,
            in_js: false,
        })
    }
}

/// More names are not remembered.
const MAX_NAMES: usize = 10_000;
/// A longer one is none.
const MAX_NAME: usize = 1000;
/// More rows of marks are shown as they come.
const MAX_PROGRESS: usize = 1000;
/// What more tests said is not remembered, and then shown twice.
const MAX_SAID: usize = 1000;

/// Where in a run's output we are.
enum Part {
    /// Among the tests' own lines.
    Run,
    /// In what a failing test printed.
    Captured(Clip),
    /// After the header of one, which is shown unless the first line names the test too.
    Header(String, Clip),
    /// In the message that a failing test ended with.
    Message,
    /// In a stack trace after it, with so many lines shown.
    Trace(usize),
    /// In a Python failure: its source is not shown, what it says is. True under the heading of a value.
    Python(bool),
    /// In pytest's list of warnings.
    Warnings,
    /// In what a failing Python test printed.
    PythonCaptured(Clip),
    /// In the list of failing tests at the end.
    Names,
    /// In what nextest shows, indented, of a failing test; what the test runner in it says is known already.
    Nested(Clip),
}

struct Machine {
    limits: TestSummary,
    part: Part,
    failures: usize,
    /// Tests whose failure was shown.
    named: HashSet<String>,
    /// Lines of failing tests whose failure may be shown further down.
    pending: Vec<(String, String)>,
    found: bool,
    summed_up: bool,
    /// The tests that were announced and did not end yet.
    unfinished: Unfinished,
    /// The test whose output is being read, where tests print among one another.
    open: Option<String>,
    /// Rows of marks with failures among them, shown where no summary follows.
    progress: Vec<String>,
    /// What failing Python tests said.
    said: Vec<String>,
    /// The line of a failure's source that was read last.
    source: Option<String>,
    /// Whether source may follow that belongs to a failure of jest or vitest.
    in_js: bool,
}

/// A line that is a ruler, with or without a title: one that points into the line above is none.
static RULED: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^(?:={3,}|-{3,}|_{3,}|─{3,}|━{3,}|⎯{3,}|\*{3,}|#{3,})(?:[^\^┬┴╰╭]*[^\^┬┴╰╭ ])?$"));
static RULER: LazyLock<Regex> = LazyLock::new(|| regex(r"={6,}|-{8,}|_{6,}|─{6,}|━{6,}|⎯{6,}|\*{8,}|#{8,}"));

impl Machine {
    /// A new part of the output may begin with this line.
    fn turn(&mut self, line: &str, out: &mut Emitter<'_>) -> bool {
        if let Some(test) = captured(line) {
            self.leave(out);
            self.found = true;
            self.failures += 1;
            if self.named.len() < MAX_NAMES {
                self.named.insert(test.to_owned());
            }
            let (head, tail) = self.room();
            self.part = Part::Header(line.to_owned(), Clip::new(head, tail));
            return true;
        }
        if PYTHON.is_match(line) {
            self.leave(out);
            self.found = true;
            self.part = Part::Python(false);
            shorten(line, out);
            return true;
        }
        if NESTED.is_match(line) {
            self.leave(out);
            self.found = true;
            let (head, tail) = self.room();
            self.part = Part::Nested(Clip::new(head, tail));
            out.fold(line);
            return true;
        }
        if line == "failures:" {
            self.leave(out);
            self.part = Part::Names;
            out.fold(line);
            return true;
        }
        let ends =
            SUMMARY.is_match(line) && !matches!(self.part, Part::Captured(_) | Part::Header(..) | Part::Nested(_));
        let ends = ends || (line.starts_with("===") && line.ends_with("=="));
        if ends && !matches!(self.part, Part::Run) {
            self.leave(out);
        }
        false
    }

    /// Remembers which test nextest is speaking of; `false` when it said the same before.
    fn note_status(&mut self, line: &str) -> bool {
        if self.named.len() >= MAX_NAMES {
            return true;
        }
        if let Some(name) = line.rsplit(' ').next() {
            self.named.insert(name.to_owned());
        }
        self.named.insert(line.to_owned())
    }

    /// Lines shown at the beginning and at the end of what a failing test printed.
    fn room(&self) -> (usize, usize) {
        if self.failures > self.limits.max_failures { (0, 0) } else { (3, 10) }
    }

    fn leave(&mut self, out: &mut Emitter<'_>) {
        match &mut self.part {
            Part::Captured(clip) | Part::Nested(clip) | Part::PythonCaptured(clip) => clip.finish(out),
            Part::Header(header, _) => out.keep(header),
            _ => {}
        }
        self.part = Part::Run;
    }

    /// Gives on what is known of failing tests and was not shown since.
    fn settle(&mut self, out: &mut Emitter<'_>) {
        for (name, line) in std::mem::take(&mut self.pending) {
            if self.named.contains(&name) {
                out.fold(&line);
            } else {
                out.keep(&line);
            }
        }
    }

    /// A line of pytest's short summary without the message, where that was shown in full.
    fn short_summary(&self, line: &str) -> Option<String> {
        let (what, message) = line.split_once(" - ")?;
        if !(what.starts_with("FAILED ") || what.starts_with("ERROR ")) || !what.contains("::") {
            return None;
        }
        let message = message.strip_suffix("...").unwrap_or(message).trim_end();
        let is_shown = self.said.iter().any(|said| said.starts_with(message));
        is_shown.then(|| what.to_owned())
    }

    /// Remembers what a failing Python test said.
    fn note_said(&mut self, line: &str) {
        let text = line.strip_prefix('E').unwrap_or(line).trim();
        if self.said.len() < MAX_SAID {
            self.said.push(text.chars().take(400).collect());
        }
    }

    /// Of the source under a failure the line that it is about is shown: jest marks it with `>`, vitest with marks below.
    fn js_source(&mut self, line: &str, out: &mut Emitter<'_>) {
        // Its words are the program's, not a report.
        out.fold(line);
        let is_mark = line.trim_end().ends_with(['^', '~']) && !line.contains(|c: char| c.is_ascii_alphanumeric());
        match self.source.take() {
            Some(source) if is_mark => out.write(&source),
            _ if !is_mark => self.source = Some(line.to_owned()),
            _ => {}
        }
    }

    fn run_line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if self.in_js && JS_SOURCE.is_match(line) {
            return self.js_source(line, out);
        }
        if JS_FAILURE.is_match(line) {
            self.in_js = true;
            self.source = None;
        } else if self.in_js {
            let text = line.trim_start();
            // The frame under the source, what a test printed, or the end: source is no longer expected.
            self.in_js = !["at ", "console.", "Test"].iter().any(|start| text.starts_with(start));
            self.source = None;
        }
        if let Some(failed) = failed(line).filter(|name| name.len() < MAX_NAME && self.pending.len() < MAX_NAMES) {
            self.found = true;
            self.pending.push((failed.to_owned(), line.to_owned()));
        } else if line.is_empty() || HEADING.is_match(line) {
            out.fold(line);
        } else if WARNINGS.is_match(line) {
            self.part = Part::Warnings;
            shorten(line, out);
        } else if let Some(open) = open(line).filter(|_| !PASSED.is_match(line)) {
            self.found = true;
            self.open = Some(open.to_owned());
            out.keep(line.trim_end());
        } else if line == "FAILED" || line == "ok" {
            // The end of the test above, which the list of failures names once more.
            match self.open.take() {
                Some(name) if line == "FAILED" => {
                    self.named.insert(name);
                    out.fold(line);
                }
                Some(_) => out.noise(line),
                None => out.keep(line),
            }
        } else if line.len() < MAX_NAME && self.progress.len() < MAX_PROGRESS && MARKED.is_match(line) {
            self.progress.push(line.to_owned());
        } else if let Some(short) = self.short_summary(line) {
            out.fold(line);
            out.write(&short);
        } else if self.unfinished.begin(line, out) {
            self.found = true;
        } else if NOISE.is_match(line) {
            self.found = true;
            out.noise(line);
        } else if PASSED.is_match(line) {
            self.found = true;
            out.noise(line);
        } else {
            if SUMMARY.is_match(line) {
                self.summed_up = true;
                self.settle(out);
                if line.starts_with("FAIL\t") || line.starts_with("ok") {
                    self.unfinished.end_package(line, out);
                }
            }
            if is_status(line) && !self.note_status(line) {
                return out.fold(line);
            }
            shorten(line, out);
        }
    }
}

/// The test of `---- NAME stdout ----`.
fn captured(line: &str) -> Option<&str> {
    let test = line.strip_prefix("---- ")?.strip_suffix(" ----")?.split([' ', '\t']).next()?;
    (!test.is_empty()).then_some(test)
}

/// The name of a failed test: `test NAME ... FAILED`, or `NAME --- FAILED` of a quiet run.
fn failed(line: &str) -> Option<&str> {
    let text = line.strip_suffix(" FAILED")?;
    match text.strip_suffix(" ---") {
        Some(name) => (!name.contains(' ')).then_some(name),
        None => {
            text.strip_prefix("test ")?.strip_suffix(" ...")?.split(" - ").next().filter(|name| !name.contains(' '))
        }
    }
}

/// The name of a test whose own output follows in the same line: `test NAME ... its output`.
fn open(line: &str) -> Option<&str> {
    let (name, _) = line.strip_prefix("test ")?.split_once(" ...")?;
    name.split(" - ").next().filter(|name| !name.contains(' '))
}

/// Whether a ruler may be in a line.
fn may_have_ruler(line: &str) -> bool {
    let runs = |sign: &str| line.contains(sign);
    ["======", "------", "______", "******", "######"].iter().any(|sign| runs(sign)) || !line.is_ascii()
}

/// Keeps a line; a ruler in it becomes a short one.
fn shorten(line: &str, out: &mut Emitter<'_>) {
    if may_have_ruler(line) && RULED.is_match(line) && RULER.is_match(line) {
        let short = RULER.replace_all(line, |found: &regex::Captures<'_>| found[0].chars().take(3).collect::<String>());
        out.fold(line);
        out.write(&short);
    } else {
        out.keep(line);
    }
}

/// Keeps a line of a Python failure without the indentation behind its mark.
fn narrow(line: &str, out: &mut Emitter<'_>) {
    let text = line.trim_end();
    let mark = text.chars().next().filter(|mark| matches!(mark, '>' | 'E') && text[1..].starts_with("  "));
    match mark {
        Some(mark) => {
            out.fold(line);
            out.write(&format!("{mark} {}", text[1..].trim_start()));
        }
        None if text.len() < line.len() => {
            out.fold(line);
            out.write(text);
        }
        None => shorten(line, out),
    }
}

impl Reducer for Machine {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        self.unfinished.end(line, out);
        if self.turn(line, out) {
            return;
        }
        if let Part::Header(header, clip) = &mut self.part {
            if line.is_empty() {
                return out.fold(line);
            }
            let name = captured(header).map(|test| format!("thread '{test}'"));
            if name.is_some_and(|name| line.starts_with(&name)) {
                out.fold(header);
            } else {
                out.keep(header);
            }
            let clip = std::mem::replace(clip, Clip::new(0, 0));
            self.part = Part::Captured(clip);
        }
        match &mut self.part {
            Part::Captured(clip) => {
                if PANIC.is_match(line) {
                    clip.finish(out);
                    self.part = Part::Message;
                    out.keep(line);
                } else if line.is_empty() {
                    out.fold(line);
                } else {
                    clip.line(line, out);
                }
            }
            Part::Message => {
                if line == "stack backtrace:" {
                    self.part = Part::Trace(0);
                    out.keep(line);
                } else if line.is_empty() {
                    out.fold(line);
                } else {
                    self.run_line(line, out);
                }
            }
            Part::Trace(shown) => {
                let frame = line.starts_with(' ');
                if !frame {
                    self.part = Part::Message;
                    self.run_line(line, out);
                } else if NOISE.is_match(line) {
                    // A frame of the standard library: its name may sound like a failure.
                    out.fold(line);
                } else if *shown >= self.limits.truncate_stack_trace {
                    out.cut(line);
                } else {
                    *shown += 1;
                    out.keep(line);
                }
            }
            Part::Python(_) | Part::PythonCaptured(_) if line.starts_with("---") && line.contains(" Captured ") => {
                self.leave(out);
                let (head, tail) = self.room();
                self.part = Part::PythonCaptured(Clip::new(head, tail));
                shorten(line, out);
            }
            Part::PythonCaptured(clip) => clip.line(line, out),
            Part::Warnings if SOURCE.is_match(line) => out.fold(line),
            Part::Warnings if line.starts_with("    ") => out.noise(line),
            Part::Python(under_heading) => {
                if line.is_empty() || line.trim_end() == "E" || HINT.is_match(line) {
                    out.fold(line);
                } else if SAYS.is_match(line) {
                    if line.starts_with('E') {
                        self.note_said(line);
                        if let Some(source) = self.source.take() {
                            out.write(&format!("    {}", source.trim()));
                        }
                    } else if line.starts_with('>') {
                        self.source = None;
                    }
                    narrow(line, out);
                } else if SOURCE.is_match(line) && !*under_heading {
                    // Its words are the program's, not a report. What failed is its last line.
                    out.fold(line);
                    self.source = Some(line.to_owned());
                } else if line.starts_with("    ") && !*under_heading {
                    out.noise(line);
                    self.source = None;
                } else if NOISE.is_match(line) || is_argument(line) {
                    out.noise(line);
                } else {
                    *under_heading = line.starts_with(' ') || is_value_heading(line);
                    out.keep(line);
                }
            }
            Part::Nested(clip) => {
                if !line.is_empty() && (!line.starts_with("    ") || is_status(line) || SUMMARY.is_match(line)) {
                    self.leave(out);
                    self.run_line(line, out);
                } else if line.is_empty()
                    || INNER.is_match(line)
                    || NOISE.is_match(line)
                    || self.named.contains(line.trim())
                {
                    out.fold(line);
                } else if PANIC.is_match(line.trim_start()) {
                    clip.finish(out);
                    self.part = Part::Nested(Clip::new(usize::MAX, 0));
                    out.keep(line);
                } else {
                    clip.line(line, out);
                }
            }
            Part::Names => match line.strip_prefix("    ") {
                Some(name) if !self.named.insert(name.trim().to_owned()) => out.fold(line),
                None if line.is_empty() => out.fold(line),
                Some(_) => out.keep(line),
                None => {
                    self.part = Part::Run;
                    self.run_line(line, out);
                }
            },
            Part::Run | Part::Header(..) | Part::Warnings => self.run_line(line, out),
        }
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.leave(out);
        self.settle(out);
        for line in std::mem::take(&mut self.progress) {
            if self.summed_up {
                out.fold(&line);
            } else {
                out.keep(&line);
            }
        }
        self.unfinished.finish(out);
        let confidence = if self.summed_up { FilterConfidence::Full } else { FilterConfidence::Partial };
        self.found.then_some(confidence)
    }
}

/// `        FAIL [   0.010s] …`: nextest about the next test.
fn is_status(line: &str) -> bool {
    let text = line.trim_start();
    let word = text.split(' ').next().unwrap_or_default();
    text[word.len()..].trim_start().starts_with('[') && word.chars().all(|c| c.is_ascii_uppercase() || c == '-')
}

/// Of a doctest, whose values stand indented below.
fn is_value_heading(line: &str) -> bool {
    matches!(line.trim_end(), "Expected:" | "Got:" | "Exception raised:") || line.starts_with("Differences (")
}

/// `inv = <app.core.Inventory object at 0x…>, n = 4`: what a Python test was called with.
fn is_argument(line: &str) -> bool {
    line.split_once(" = ").is_some_and(|(name, _)| name.chars().all(|c| c.is_alphanumeric() || c == '_'))
}
