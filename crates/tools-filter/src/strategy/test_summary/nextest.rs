//! cargo-nextest: a status line for each test, and the output of a failed one, which includes lines
//! of the inner test runner.

use super::run::{MAX_NAMES, Machine, Part};
use crate::{
    emit::Emitter,
    strategy::clip::Clip,
    table::{INNER, NOISE, PANIC, SUMMARY},
};

impl Machine {
    /// Records the test of a status line; `false` if nextest already reported the same.
    pub(super) fn note_status(&mut self, line: &str) -> bool {
        if self.named.len() >= MAX_NAMES {
            return true;
        }
        if let Some(name) = line.rsplit(' ').next() {
            self.named.insert(name.to_owned());
        }
        self.named.insert(line.to_owned())
    }

    /// Processes a line of a failed test's output, which nextest indents.
    pub(super) fn nested_line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let Part::Nested(clip) = &mut self.part else { return };
        if !line.is_empty() && (!line.starts_with("    ") || is_status(line) || SUMMARY.is_match(line)) {
            self.leave(out);
            self.run_line(line, out);
        } else if line.is_empty() || INNER.is_match(line) || NOISE.is_match(line) || self.named.contains(line.trim()) {
            out.fold(line);
        } else if PANIC.is_match(line.trim_start()) {
            clip.finish(out);
            self.part = Part::Nested(Clip::new(usize::MAX, 0));
            out.keep(line);
        } else {
            clip.line(line, out);
        }
    }
}

/// Whether a line is a nextest status of the next test: `        FAIL [   0.010s] …`.
pub(super) fn is_status(line: &str) -> bool {
    let text = line.trim_start();
    let word = text.split(' ').next().unwrap_or_default();
    text[word.len()..].trim_start().starts_with('[') && word.chars().all(|c| c.is_ascii_uppercase() || c == '-')
}
