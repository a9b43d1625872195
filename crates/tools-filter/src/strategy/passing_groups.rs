//! Titles of groups of tests that all passed: they are counted with them. A title stands directly
//! above the first of its tests, one level further out.

use tools_core::FilterConfidence;

use super::{Reducer, unfinished::names_running};
use crate::{
    emit::{Emitter, marked},
    signal::reports,
    table::PASSED,
};

/// How far a test is indented below the title of its group, and how far that is at least: what the
/// program itself prints stands at the margin.
const LEVEL: usize = 2;
/// Of a group with more tests the title stands.
const MAX_TESTS: usize = 1000;

#[derive(Default)]
pub(crate) struct PassingGroups {
    /// The line before, which may be a title.
    title: Option<String>,
    /// Tests that passed below it.
    tests: Vec<String>,
    found: bool,
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn may_be_title(line: &str) -> bool {
    indent(line) >= LEVEL
        && !line.trim().is_empty()
        && marked(line).is_none()
        && !PASSED.is_match(line)
        && !reports(line)
        && !names_running(line)
}

impl PassingGroups {
    /// Ends the group before this line; it says nothing of the group where it is no further in.
    fn end(&mut self, next: &str, out: &mut Emitter<'_>) {
        let Some(title) = self.title.take() else { return };
        let has_passed = !self.tests.is_empty() && indent(next) <= indent(&title);
        self.found |= has_passed;
        for line in std::iter::once(title).chain(self.tests.drain(..)) {
            if has_passed { out.omit(&line) } else { out.keep(&line) }
        }
    }
}

impl Reducer for PassingGroups {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if let Some(title) = &self.title
            && indent(line) == indent(title) + LEVEL
            && self.tests.len() < MAX_TESTS
            && PASSED.is_match(line)
        {
            return self.tests.push(line.to_owned());
        }
        self.end(line, out);
        if may_be_title(line) {
            self.title = Some(line.to_owned());
        } else {
            out.keep(line);
        }
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.end("", out);
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Exit, FilterPipeline};

    #[test]
    fn a_title_stands_above_what_failed() {
        let text = "  cart\n    ✓ adds one of them\n    ✓ removes one of them\n  stock\n    ✓ counts all of them\n    ✕ orders more of them\n\
                    the program said this\n    ✓ says\n  price\n    ✓ rounds all of them\n  end of it\n";
        assert_eq!(
            FilterPipeline::builtin().filter("mocha", Exit::Code(1), text.as_bytes()).text,
            "[… 3 lines]\n  stock\n[… 1]\n    ✕ orders more of them\nthe program said this\n[… 3]\n  end of it\n"
        );
    }
}
