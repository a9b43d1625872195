//! The Test Anything Protocol: counts passed tests and their details in place. Tests skipped for a
//! reason stay.

use std::sync::LazyLock;

use regex::Regex;
use tools_core::FilterConfidence;

use super::Reducer;
use crate::{emit::Emitter, lines::regex};

/// Maximum number of announcements held.
const MAX_HELD: usize = 200;

#[derive(Default)]
pub(crate) struct Tap {
    /// Announced subtests without a result yet, outermost first.
    open: Vec<String>,
    /// Indentation of the block after a passed result.
    block: Option<usize>,
    /// Indentation of the passed result, if the previous line was one.
    after_pass: Option<usize>,
    /// Indentation of the failed result, if the previous line was one, and of the block after one.
    after_failure: Option<usize>,
    failure: Option<usize>,
    /// A comment that is a heading of results, and whether a passed result followed it.
    comment: Option<(String, bool)>,
    /// Whether the difference of two values was shown for this failure, and whether the current
    /// lines are one of these values.
    has_difference: bool,
    is_repeated: bool,
    found: bool,
}

/// Fields that the block of every failure has.
const USUAL: &[&str] = &["duration_ms: ", "type: ", "code: 'ERR_ASSERTION'", "operator: "];
/// Comments with totals.
const TOTALS: &[&str] = &[
    "tests",
    "pass",
    "fail",
    "ok",
    "suites",
    "cancelled",
    "skipped",
    "skip",
    "todo",
    "duration_ms",
    "Subtest:",
    "time",
];

/// Indentation, `not`, number, description and directive.
static RESULT: LazyLock<Regex> = LazyLock::new(|| regex(r"^( *)(not )?ok (\d+)(?: - | )?([^#]*)(#.*)?$"));

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Whether a comment is a heading of the results below it.
fn heads(line: &str) -> bool {
    let Some(text) = line.strip_prefix("# ") else { return false };
    let first = text.split([' ', '=']).next().unwrap_or_default();
    !text.trim().is_empty() && text.len() < 200 && !TOTALS.contains(&first)
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

    fn end_comment(&mut self, out: &mut Emitter<'_>) {
        match self.comment.take() {
            Some((line, true)) => out.noise(&line),
            Some((line, false)) => out.keep(&line),
            None => {}
        }
    }

    /// Processes a line in the block of a failure; `false` outside of one.
    fn failure_line(&mut self, line: &str, out: &mut Emitter<'_>) -> bool {
        let Some(depth) = self.failure else { return false };
        let text = line.trim();
        if indent(line) < depth && !text.is_empty() {
            self.failure = None;
            return false;
        }
        let is_end = text == "..." && indent(line) == depth;
        if is_end {
            self.failure = None;
        }
        if indent(line) == depth {
            // Both values; their difference was shown above.
            self.is_repeated = self.has_difference && matches!(text, "expected:" | "actual:");
        }
        self.has_difference = (self.has_difference && !is_end) || text == "+ actual - expected";
        if is_end
            || self.is_repeated
            || text.is_empty()
            || (indent(line) == depth && USUAL.iter().any(|usual| text.starts_with(usual)))
        {
            self.found = true;
            out.omit(line);
        } else {
            out.keep(line);
        }
        true
    }

    /// Closes the announcement that a result belongs to.
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
        if self.failure_line(line, out) {
            return;
        }
        let after = self.after_pass.take();
        let after_failure = self.after_failure.take();
        if after.is_some_and(|depth| line.trim() == "---" && indent(line) > depth) {
            self.block = Some(indent(line));
            return out.omit(line);
        }
        if after_failure.is_some_and(|depth| line.trim() == "---" && indent(line) > depth) {
            self.failure = Some(indent(line));
            return out.omit(line);
        }
        if line.len() > 1000 {
            self.end_comment(out);
            return out.keep(line);
        }
        if heads(line) {
            self.end_comment(out);
            self.comment = Some((line.to_owned(), false));
            return;
        }
        let text = line.trim_start_matches(' ');
        if announced(line).is_some() {
            self.end_comment(out);
            if self.open.len() >= MAX_HELD {
                self.show_open(out);
            }
            return self.open.push(line.to_owned());
        }
        let is_result = text.starts_with("ok ") || text.starts_with("not ok ");
        let Some(found) = is_result.then(|| RESULT.captures(line)).flatten() else {
            self.end_comment(out);
            return out.keep(line);
        };
        let part = |at: usize| found.get(at).map_or("", |part| part.as_str().trim());
        self.result(line, part(4), out);
        let directive = part(5).to_ascii_lowercase();
        let reason = directive.trim_start_matches(['#', ' ']).strip_prefix("skip").unwrap_or_default();
        let is_open = directive.contains("todo") || reason.contains(' ');
        if part(2).is_empty() && !is_open {
            self.found = true;
            self.after_pass = Some(indent(line));
            if let Some((_, has_passed)) = &mut self.comment {
                *has_passed = true;
            }
            return out.omit(line);
        }
        if let Some((comment, _)) = self.comment.take() {
            out.keep(&comment);
        }
        self.after_failure = Some(indent(line));
        out.keep(line);
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.end_comment(out);
        // Announced subtests without a result.
        self.show_open(out);
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Exit, FilterPipeline};

    #[test]
    fn values_whose_difference_is_told_are_counted() {
        let text = "not ok 1 - sums\n  ---\n  error: |-\n    + actual - expected\n    +   3\n    -   4\n  expected:\n    a: 4\n    \
                    b: words to pass\n  actual:\n    a: 3\n    b: words to pass\n  code: 'E9'\n  ...\nnot ok 2 - b\n  ---\n  \
                    expected:\n    a: 4\n  ...\n";
        assert_eq!(
            FilterPipeline::builtin().filter("./run.sh", Exit::Code(1), text.as_bytes()).text,
            "not ok 1 - sums\n  error: |-\n    + actual - expected\n    +   3\n    -   4\n[… 6 lines]\n  code: 'E9'\n  ...\n\
             not ok 2 - b\n  expected:\n    a: 4\n  ...\n"
        );
    }

    #[test]
    fn a_reason_to_skip_stands() {
        let text = "1..5\nok 1 - adds\nok 2 - divides\nok 3 # skip no database\nok 4 # SKIP\nnot ok 5 - prints\n";
        for command in ["./run.sh", "prove -v t"] {
            let filtered = FilterPipeline::builtin().filter(command, Exit::Code(1), text.as_bytes()).text;
            assert_eq!(
                filtered, "1..5\n[… 2 lines]\nok 3 # skip no database\nok 4 # SKIP\nnot ok 5 - prints\n",
                "{command}"
            );
        }
    }
}
