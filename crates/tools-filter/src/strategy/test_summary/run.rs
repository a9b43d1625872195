//! The reducer for a test run: tracks the current part of the output and handles what all runners
//! have in common.

use std::collections::HashSet;

use tools_core::FilterConfidence;

use super::{
    TestSummary,
    nextest::is_status,
    ruler::shorten,
    rust::{captured, failed, open},
    short_summary::FailureMessages,
    skipped::Reasons,
};
use crate::{
    emit::Emitter,
    strategy::{Reducer, clip::Clip, unfinished::UnfinishedTests},
    table::{HEADING, JS_FAILURE, JS_SOURCE, MARKED, NESTED, NOISE, PASSED, PYTHON, SUMMARY, TOLD_LATER, WARNINGS},
};

/// Maximum number of remembered names.
pub(super) const MAX_NAMES: usize = 10_000;
/// Maximum length in bytes of a name.
const MAX_NAME: usize = 1000;
/// Maximum number of held progress rows; further ones are shown.
const MAX_PROGRESS: usize = 1000;

/// The part of the output that is being read.
pub(super) enum Part {
    /// The lines of the tests themselves.
    Run,
    /// The output of a failed test.
    Captured(Clip),
    /// After the header of a failed test's output. The header is shown unless the first line names
    /// the test too.
    Header(String, Clip),
    /// The message of a failed test.
    Message,
    /// The stack trace after it; the number of lines shown.
    Trace(usize),
    /// A Python failure: its source is hidden, its message shown. True below the heading of a
    /// value.
    Python(bool),
    /// pytest's list of warnings.
    Warnings,
    /// The output of a failed Python test.
    PythonCaptured(Clip),
    /// The list of failed tests at the end.
    Names,
    /// A failed test's output in nextest, which indents it. The summary of the inner test runner
    /// adds nothing.
    Nested(Clip),
}

pub(super) struct Machine {
    pub(super) limits: TestSummary,
    pub(super) part: Part,
    pub(super) failures: usize,
    /// Tests whose failure was shown.
    pub(super) named: HashSet<String>,
    pub(super) found: bool,
    pub(super) summed_up: bool,
    /// Tests that were announced and have not ended yet.
    pub(super) unfinished: UnfinishedTests,
    /// The test whose result is missing, since its own output follows its name.
    pub(super) open: Option<String>,
    /// Progress rows with failures, shown if no summary follows.
    pub(super) progress: Vec<String>,
    /// The last source line of a failure.
    pub(super) source: Option<String>,
    /// Whether source of a jest or vitest failure may follow.
    pub(super) in_js: bool,
    /// Whether source of a library frame may follow.
    pub(super) in_library: bool,
    /// Failure messages of pytest tests.
    pub(super) said: FailureMessages,
    /// Reasons of skipped tests.
    pub(super) reasons: Reasons,
}

impl Machine {
    pub(super) fn new(limits: TestSummary) -> Self {
        Self {
            limits,
            part: Part::Run,
            failures: 0,
            named: HashSet::new(),
            found: false,
            summed_up: false,
            unfinished: UnfinishedTests::default(),
            open: None,
            progress: Vec::new(),
            source: None,
            in_js: false,
            in_library: false,
            said: FailureMessages::default(),
            reasons: Reasons::default(),
        }
    }

    /// Switches the part if this line begins or ends one. `true` when the line was consumed.
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
            self.said.begin(line);
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

    /// Maximum lines shown at the beginning and at the end of a failed test's output.
    pub(super) fn room(&self) -> (usize, usize) {
        if self.failures > self.limits.max_failures { (0, 0) } else { (3, 10) }
    }

    pub(super) fn leave(&mut self, out: &mut Emitter<'_>) {
        match &mut self.part {
            Part::Captured(clip) | Part::Nested(clip) | Part::PythonCaptured(clip) => clip.finish(out),
            Part::Header(header, _) => out.keep(header),
            _ => {}
        }
        self.part = Part::Run;
    }

    pub(super) fn run_line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if self.in_js && JS_SOURCE.is_match(line) {
            return self.js_source(line, out);
        }
        if self.said.take(line, out) {
            return;
        }
        if JS_FAILURE.is_match(line) {
            self.in_js = true;
            self.source = None;
        } else if self.in_js {
            let text = line.trim_start();
            // A stack frame or the end follows: no more source is expected.
            self.in_js = !["at ", "Test"].iter().any(|start| text.starts_with(start));
            self.source = None;
        }
        if let Some(failed) = failed(line).filter(|name| name.len() < MAX_NAME && self.named.len() < MAX_NAMES) {
            // The list of failures at the end names it again.
            self.found = true;
            self.named.insert(failed.to_owned());
            out.keep(line);
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
            // The result of the open test; the list of failures names it again.
            match self.open.take() {
                Some(name) if line == "FAILED" => {
                    self.named.insert(name);
                    out.fold(line);
                }
                Some(_) => out.noise(line),
                None => out.keep(line),
            }
        } else if line.len() < MAX_NAME
            && self.progress.len() < MAX_PROGRESS
            && (MARKED.is_match(line) || TOLD_LATER.is_match(line))
        {
            self.progress.push(line.to_owned());
        } else if self.unfinished.begin(line, out) {
            self.found = true;
        } else if NOISE.is_match(line) || PASSED.is_match(line) {
            self.found = true;
            if self.reasons.is_new(line) {
                out.keep(line);
            } else {
                out.noise(line);
            }
        } else {
            if SUMMARY.is_match(line) {
                self.summed_up = true;
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

impl Reducer for Machine {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        self.unfinished.end(line, out);
        if self.turn(line, out) {
            return;
        }
        match self.part {
            Part::Header(..) => self.after_header(line, out),
            Part::Captured(_) => self.captured_line(line, out),
            Part::Message => self.message_line(line, out),
            Part::Trace(shown) => self.trace_line(line, shown, out),
            Part::Names => self.name_line(line, out),
            Part::Nested(_) => self.nested_line(line, out),
            Part::Python(_) | Part::PythonCaptured(_) | Part::Warnings => self.python_line(line, out),
            Part::Run => self.run_line(line, out),
        }
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.leave(out);
        for line in std::mem::take(&mut self.progress) {
            if self.summed_up && self.said.names(&line) {
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
