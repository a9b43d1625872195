//! Shortens warnings that a Python library raises: place, kind and first line of the message stay.
//! The rest of the message, up to the library's source line that raised it, is counted.

use std::sync::LazyLock;

use regex::Regex;
use tools_core::FilterConfidence;

use super::Reducer;
use crate::{emit::Emitter, lines::regex, table::WARN_CALL};

/// `…/site-packages/x/plugin.py:306: PytestDeprecationWarning: the option is unset`.
static HEAD: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"^\s*/\S*(?:site-packages|dist-packages|lib/python[\d.]+)/\S+\.py:\d+: (?:[\w.]*Warning): \S")
});
/// Maximum number of lines of a message that is shortened.
const MAX_LINES: usize = 6;
/// Maximum length in bytes of a line of a message.
const MAX_LINE_BYTES: usize = 2 << 10;

#[derive(Default)]
pub(crate) struct LibraryWarnings {
    /// The rest of the message, dropped if it ends with the source line that raised the warning.
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
