//! Blank lines of a tool that a rule is about: they part what is told apart by its form already. A
//! short text keeps its paragraphs.

use tools_core::FilterConfidence;

use super::Reducer;
use crate::emit::Emitter;

/// The first lines keep the blank ones between them.
const SHORT: usize = 10;

#[derive(Default)]
pub(crate) struct Blanks {
    lines: usize,
    found: bool,
}

impl Reducer for Blanks {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        self.lines += 1;
        if self.lines > SHORT && line.trim().is_empty() {
            self.found = true;
            out.fold(line);
        } else {
            out.keep(line);
        }
    }

    fn finish(&mut self, _: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.found.then_some(FilterConfidence::Full)
    }
}
