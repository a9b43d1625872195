//! Shortens source lines under a place without a column, as javac and mypy print them: a source
//! line, then marks that point to the position. The first pair stays; each later pair becomes one
//! line that quotes the marked text.

use std::sync::LazyLock;

use regex::Regex;
use tools_core::FilterConfidence;

use super::{Reducer, snippets::marks};
use crate::{
    emit::{Emitter, marked},
    lines::regex,
};

/// Maximum distance in lines between a place and its source.
const NEAR_LINES: u32 = 4;
/// Maximum number of marked characters shown.
const MAX_SHOWN_CHARS: usize = 28;
/// Maximum length in bytes of a line to hold.
const MAX_LINE_BYTES: usize = 1 << 10;

/// `Main.java:3: error: `: a message with a line and no column.
static HEAD: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^\s*[\w./\\@+-]+\.[A-Za-z]\w{0,7}:\d{1,7}: (?:\w+ )?(?:error|warning|note)\b"));

#[derive(Default)]
pub(crate) struct Carets {
    /// Number of lines since a message without a column.
    since_head: Option<u32>,
    /// The previous line, which may be source.
    last: Option<String>,
    is_after_first: bool,
    found: bool,
}

/// The mark that replaces a source line and its marks.
pub(super) fn mark_for_carets(source: &str, marks: &str) -> Option<String> {
    let start = marks.chars().position(|c| matches!(c, '^' | '~'))?;
    let width = marks.chars().skip(start).take_while(|c| matches!(c, '^' | '~')).count();
    // A single caret does not say where the marked text ends, so what follows is shown too.
    let width = if width > 1 { width.min(MAX_SHOWN_CHARS) } else { MAX_SHOWN_CHARS };
    let text: String = source.chars().skip(start).take(width).collect();
    let text = text.trim_end();
    if text.is_empty() || source.contains('\t') || marks.contains('\t') {
        return None;
    }
    let told = format!("[… 2 lines, at `{text}`]");
    (told.len() < source.len() + marks.len()).then_some(told)
}

impl Reducer for Carets {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if let Some(last) = self.last.take() {
            if self.since_head.is_some() && marks(line) && marked(&last).is_none() && !HEAD.is_match(&last) {
                self.since_head = None;
                let told = mark_for_carets(&last, line).filter(|_| std::mem::replace(&mut self.is_after_first, true));
                let Some(told) = told else {
                    out.keep(&last);
                    return out.keep(line);
                };
                self.found = true;
                out.forget(&last);
                out.forget(line);
                return out.write(&told);
            }
            out.keep(&last);
        }
        if line.contains(':') && line.len() < MAX_LINE_BYTES && HEAD.is_match(line) {
            self.since_head = Some(0);
        } else if let Some(lines) = self.since_head {
            self.since_head = (lines < NEAR_LINES).then_some(lines + 1);
        }
        if self.since_head.is_some() && line.len() < MAX_LINE_BYTES {
            self.last = Some(line.to_owned());
        } else {
            out.keep(line);
        }
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        if let Some(last) = self.last.take() {
            out.keep(&last);
        }
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_marked_is_told() {
        let table = [
            (
                "    for (;;) { Foo f = new Foo(); } // the end of it",
                "               ^",
                Some("Foo f = new Foo(); } // the"),
            ),
            ("    return a + 1, and so on and on", "           ^~~~~", Some("a + 1")),
            ("\treturn a + 1", "           ^~~~~", None),
            ("x", "^", None),
            ("short", "                           ^", None),
        ];
        for (source, marks, expected) in table {
            let expected = expected.map(|text| format!("[… 2 lines, at `{text}`]"));
            assert_eq!(mark_for_carets(source, marks), expected, "{source}");
        }
    }
}
