//! Drops blank lines. For tools with a rule, all of them. For other tools, those between two
//! unindented lines separate paragraphs and stay. Short texts keep all blank lines.

use tools_core::FilterConfidence;

use super::Reducer;
use crate::emit::{Emitter, marked};

/// Number of lines at the beginning that keep their blank lines.
const SHORT: usize = 10;

pub(crate) struct Blanks {
    /// Whether the tool has a rule.
    has_rule: bool,
    lines: usize,
    /// Whether the previous line is unindented.
    after_margin: bool,
    /// Whether a blank line is pending, which stays if the next line is unindented.
    held: bool,
    found: bool,
}

fn is_at_margin(line: &str) -> bool {
    !line.starts_with([' ', '\t']) && marked(line).is_none()
}

impl Blanks {
    pub(crate) fn new(has_rule: bool) -> Self {
        Self { has_rule, lines: 0, after_margin: false, held: false, found: false }
    }
}

impl Reducer for Blanks {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        self.lines += 1;
        let is_blank = line.trim().is_empty();
        if self.lines <= SHORT {
            self.after_margin = !is_blank && is_at_margin(line);
            return out.keep(line);
        }
        if is_blank {
            if self.has_rule || !self.after_margin {
                self.found = true;
            } else {
                self.held = true;
            }
            return out.fold(line);
        }
        let is_at_margin = is_at_margin(line);
        if std::mem::take(&mut self.held) {
            if is_at_margin {
                out.write("");
            } else {
                self.found = true;
            }
        }
        self.after_margin = is_at_margin;
        out.keep(line);
    }

    fn finish(&mut self, _: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.found.then_some(FilterConfidence::Full)
    }
}
