//! Counts the titles of test groups in which all tests passed. A title is directly above its first
//! test, one level further out.

use tools_core::FilterConfidence;

use super::{Reducer, unfinished::names_running};
use crate::{
    emit::{Emitter, marked},
    signal::reports,
    table::PASSED,
};

/// Indentation of a test relative to its title, and minimum indentation of a title: the program's
/// own output is not indented.
const LEVEL: usize = 2;
/// Maximum number of tests in a group whose title is counted.
const MAX_TESTS: usize = 1000;

#[derive(Default)]
pub(crate) struct PassingGroups {
    /// The previous line, which may be a title.
    title: Option<String>,
    /// Passed tests below the title.
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
    /// Ends the group before this line. If the line is indented further than the title, it belongs
    /// to the group, and the title stays.
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
