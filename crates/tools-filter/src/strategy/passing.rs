//! Drops progress lines and runs of passed tests from the output of a program without a rule.

use tools_core::FilterConfidence;

use super::Reducer;
use crate::{
    emit::Emitter,
    signal::reports,
    table::{BOILERPLATE, PASSED, PROGRESS},
};

/// Beginnings of steps that are not tests but change something. If a later step fails, these show
/// what was done before.
const CHANGING: &[&str] = &["Applying ", "Unapplying ", "Reverting "];
/// Maximum number of steps held.
const MAX_STEPS: usize = 1000;

fn changes(line: &str) -> bool {
    CHANGING.iter().any(|verb| line.trim_start().starts_with(verb))
}

/// Minimum number of consecutive lines; fewer may be something else than passed tests.
const MIN_LINES: usize = 3;

pub(crate) struct PassingTests {
    /// Whether passed tests are counted here; a rule for tests does that itself.
    of_tests: bool,
    held: Vec<String>,
    /// Successful steps that changed something, with blank lines among them, while a later one may
    /// still fail.
    steps: Vec<String>,
    is_run: bool,
    found: bool,
}

impl PassingTests {
    pub(crate) fn new(of_tests: bool) -> Self {
        Self { of_tests, held: Vec::new(), steps: Vec::new(), is_run: false, found: false }
    }

    fn end(&mut self, out: &mut Emitter<'_>) {
        self.is_run = false;
        self.held.drain(..).for_each(|line| out.keep(&line));
    }

    fn end_steps(&mut self, is_failure: bool, out: &mut Emitter<'_>) {
        if is_failure || self.steps.iter().filter(|line| changes(line)).count() < MIN_LINES {
            return self.steps.drain(..).for_each(|line| out.keep(&line));
        }
        self.found = true;
        for line in self.steps.drain(..) {
            if line.trim().is_empty() { out.keep(&line) } else { out.noise(&line) }
        }
    }
}

impl Reducer for PassingTests {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if self.of_tests && PASSED.is_match(line) {
            if changes(line) && self.steps.len() < MAX_STEPS {
                self.end(out);
                return self.steps.push(line.to_owned());
            }
            self.end_steps(false, out);
            if self.is_run {
                return out.noise(line);
            }
            self.held.push(line.to_owned());
            if self.held.len() == MIN_LINES {
                (self.is_run, self.found) = (true, true);
                self.held.drain(..).for_each(|line| out.noise(&line));
            }
            return;
        }
        if !self.steps.is_empty() && line.trim().is_empty() {
            return self.steps.push(line.to_owned());
        }
        self.end(out);
        if !self.steps.is_empty() {
            self.end_steps(reports(line), out);
        }
        if BOILERPLATE.is_match(line) {
            self.found = true;
            out.omit(line);
        } else if PROGRESS.is_match(line) {
            self.found = true;
            out.noise(line);
        } else {
            out.keep(line);
        }
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.end(out);
        self.end_steps(false, out);
        self.found.then_some(FilterConfidence::Full)
    }
}
