//! A warning that a library of Python gives about itself or about how it is used: its place, its
//! kind and the first line of its message stand. What the message goes on with, up to the line of
//! the library that gave the warning, is counted.

use std::sync::LazyLock;

use regex::Regex;
use tools_core::FilterConfidence;

use super::Reducer;
use crate::{emit::Emitter, lines::regex, table::WARN_CALL};

/// `…/site-packages/x/plugin.py:306: PytestDeprecationWarning: the option is unset`.
static HEAD: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"^\s*/\S*(?:site-packages|dist-packages|lib/python[\d.]+)/\S+\.py:\d+: (?:[\w.]*Warning): \S")
});
/// A message of more lines stands.
const MAX_LINES: usize = 6;
/// A longer line is none of it.
const MAX_LINE_BYTES: usize = 2 << 10;

#[derive(Default)]
pub(crate) struct LibraryWarnings {
    /// What the message goes on with, if it ends with the line that gave it.
    held: Option<Vec<String>>,
    found: bool,
}

impl LibraryWarnings {
    fn end(&mut self, out: &mut Emitter<'_>) {
        for line in self.held.take().unwrap_or_default() {
            out.keep(&line);
        }
    }
}

impl Reducer for LibraryWarnings {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if line.len() > MAX_LINE_BYTES {
            self.end(out);
            return out.keep(line);
        }
        if line.contains("Warning: ") && HEAD.is_match(line) {
            self.end(out);
            self.held = Some(Vec::new());
            return out.keep(line);
        }
        let Some(held) = &mut self.held else { return out.keep(line) };
        if WARN_CALL.is_match(line) {
            self.found = true;
            for line in self.held.take().unwrap_or_default() {
                out.omit(&line);
            }
            return out.omit(line);
        }
        held.push(line.to_owned());
        if held.len() > MAX_LINES {
            self.end(out);
        }
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.end(out);
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Exit, FilterPipeline};

    #[test]
    fn what_a_library_says_at_length_is_counted() {
        let head = "/venv/lib/python3.11/site-packages/a/plugin.py:306: PytestDeprecationWarning: The option \"scope\" is unset.\n";
        let rest = "It will default to the fixture scope, which may lead to unexpected results.\n\n";
        let call = "  warnings.warn(PytestDeprecationWarning(_UNSET))\n";
        let filter = |text: &str| FilterPipeline::builtin().filter("./x", Exit::Code(0), text.as_bytes()).text;
        assert_eq!(filter(&[head, rest, call, "5 passed\n"].concat()), format!("{head}[… 2 lines]\n5 passed\n"));
        let text = [head, rest, "AssertionError: 3 != 4\n"].concat();
        assert_eq!(filter(&text), text);
        // One's own.
        let text = ["/app/a.py:3: UserWarning: old file\n", rest].concat();
        assert_eq!(filter(&text), text);
    }
}
