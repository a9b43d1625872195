//! What a program without a rule says while it works: signs of progress, and runs of tests that
//! passed.

use tools_core::FilterConfidence;

use super::Reducer;
use crate::{
    emit::Emitter,
    table::{BOILERPLATE, PASSED, PROGRESS},
};

/// Fewer lines in sequence may be something else than tests that passed.
const MIN_LINES: usize = 3;

pub(crate) struct PassingTests {
    /// Whether lines of tests that passed are counted here: a rule has its own way with them.
    of_tests: bool,
    held: Vec<String>,
    is_run: bool,
    found: bool,
}

impl PassingTests {
    pub(crate) fn new(of_tests: bool) -> Self {
        Self { of_tests, held: Vec::new(), is_run: false, found: false }
    }

    fn end(&mut self, out: &mut Emitter<'_>) {
        self.is_run = false;
        self.held.drain(..).for_each(|line| out.keep(&line));
    }
}

impl Reducer for PassingTests {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if self.of_tests && PASSED.is_match(line) {
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
        self.end(out);
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
        self.found.then_some(FilterConfidence::Full)
    }
}
