//! The lines of cargo-nextest: a status for each test, and what a failing one printed, with what
//! the runner inside of it says.

use super::run::{MAX_NAMES, Machine, Part};
use crate::{
    emit::Emitter,
    strategy::clip::Clip,
    table::{INNER, NOISE, PANIC, SUMMARY},
};

impl Machine {
    /// Remembers which test nextest is speaking of; `false` when it said the same before.
    pub(super) fn note_status(&mut self, line: &str) -> bool {
        if self.named.len() >= MAX_NAMES {
            return true;
        }
        if let Some(name) = line.rsplit(' ').next() {
            self.named.insert(name.to_owned());
        }
        self.named.insert(line.to_owned())
    }

    /// What nextest shows, indented, of a failing test.
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

/// `        FAIL [   0.010s] …`: nextest about the next test.
pub(super) fn is_status(line: &str) -> bool {
    let text = line.trim_start();
    let word = text.split(' ').next().unwrap_or_default();
    text[word.len()..].trim_start().starts_with('[') && word.chars().all(|c| c.is_ascii_uppercase() || c == '-')
}
