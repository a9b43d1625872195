//! The Test Anything Protocol: tests that passed are counted where they stood, with what is said of them.

use std::sync::LazyLock;

use regex::Regex;
use tools_core::FilterConfidence;

use super::Reducer;
use crate::{emit::Emitter, lines::regex};

/// More announcements are not held.
const MAX_HELD: usize = 200;

#[derive(Default)]
pub(crate) struct Tap {
    /// Parts that were announced and whose result did not come yet, outermost first.
    open: Vec<String>,
    /// The indentation of the block that follows a result that passed.
    block: Option<usize>,
    /// Whether the line before was such a result.
    after_pass: Option<usize>,
    found: bool,
}

/// Indentation, `not`, number, description and directive.
static RESULT: LazyLock<Regex> = LazyLock::new(|| regex(r"^( *)(not )?ok (\d+)(?: - | )?([^#]*)(#.*)?$"));

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn announced(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("# Subtest: ").map(str::trim)
}

impl Tap {
    fn show_open(&mut self, out: &mut Emitter<'_>) {
        for line in self.open.drain(..) {
            out.keep(&line);
        }
    }

    /// Takes a result: what it is about was announced.
    fn result(&mut self, line: &str, description: &str, out: &mut Emitter<'_>) {
        let same = |open: &String| indent(open) == indent(line) && announced(open) == Some(description);
        if let Some(at) = self.open.iter().rposition(same) {
            let line = self.open.remove(at);
            out.omit(&line);
        }
    }
}

impl Reducer for Tap {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if let Some(depth) = self.block {
            out.omit(line);
            if line.trim() == "..." && indent(line) == depth {
                self.block = None;
            }
            return;
        }
        let after = self.after_pass.take();
        if after.is_some_and(|depth| line.trim() == "---" && indent(line) > depth) {
            self.block = Some(indent(line));
            return out.omit(line);
        }
        if line.len() > 1000 {
            return out.keep(line);
        }
        let text = line.trim_start_matches(' ');
        if announced(line).is_some() {
            if self.open.len() >= MAX_HELD {
                self.show_open(out);
            }
            return self.open.push(line.to_owned());
        }
        if !text.starts_with("ok ") && !text.starts_with("not ok ") {
            return out.keep(line);
        }
        let Some(found) = RESULT.captures(line) else { return out.keep(line) };
        let part = |at: usize| found.get(at).map_or("", |part| part.as_str().trim());
        self.result(line, part(4), out);
        let directive = part(5).to_ascii_lowercase();
        if part(2).is_empty() && !directive.contains("todo") {
            self.found = true;
            self.after_pass = Some(indent(line));
            return out.omit(line);
        }
        out.keep(line);
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        // Parts that never ended.
        self.show_open(out);
        self.found.then_some(FilterConfidence::Full)
    }
}
