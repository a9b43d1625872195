//! `diagnostics`: keeps compilers' messages. The source below them is shown for the first errors
//! only; each message gives its place.

use std::sync::LazyLock;

use aho_corasick::packed::Searcher;
use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::FilterConfidence;

use super::{Facts, Reducer, Strategy, StrategyError, patterns::Patterns};
use crate::{
    emit::Emitter,
    signal::reports,
    table::{CONTEXT, ERROR_HEAD, HEAD, MARKS, MESSAGE, OTHER, SNIPPET, WARNING},
};

/// Parameters of `diagnostics`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Diagnostics {
    /// Lines that one of these regular expressions matches are dropped.
    pub noise: Vec<String>,
}

pub(crate) struct Compiled(Patterns);

impl Diagnostics {
    pub(crate) fn compile(&self) -> Result<Compiled, StrategyError> {
        Patterns::compile(&self.noise).map(Compiled)
    }
}

impl Strategy for Compiled {
    fn start(&self, _: &Facts) -> Box<dyn Reducer> {
        Box::new(Machine { noise: self.0.clone(), ..Machine::default() })
    }
}

/// The words of [`MESSAGE`] in their usual spelling. A fast pre-check, since most lines have none
/// of them.
static WORDS: LazyLock<Option<Searcher>> = LazyLock::new(|| {
    Searcher::new([
        "error", "warning", "note", "remark", "Error", "Warning", "Note", "Remark", "ERROR", "WARNING", "NOTE",
    ])
});

/// Number of errors that are shown with source.
const WITH_SOURCE: usize = 1;

#[derive(Default)]
struct Machine {
    noise: Patterns,
    in_warning: bool,
    errors: usize,
    /// The line after a message, and whether it may be source: it is when marks follow.
    next: Option<(String, bool)>,
    after_head: bool,
    /// Whether the previous line was marks under source. The compiler's suggested text may follow,
    /// aligned with them.
    after_marks: bool,
    /// Whether the last message named no column. Then only the marks under its source give it.
    is_column_missing: bool,
    found: bool,
}

/// Whether a message names a column: `file:3:5: `, `file(3,5): `.
fn names_column(line: &str) -> bool {
    let place = line.split_once(": ").map_or(line, |(place, _)| place);
    let is_digit = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = place.trim_end_matches([')', ':']).rsplit([':', ',']);
    parts.next().is_some_and(is_digit)
        && parts.next().is_some_and(|row| is_digit(row.rsplit('(').next().unwrap_or(row)))
}

impl Machine {
    /// Emits the line after a message, now known to be source or something else.
    fn settle(&mut self, is_source: bool, out: &mut Emitter<'_>) {
        let Some((line, may_be_message)) = self.next.take() else { return };
        // A line that reports something may be a message without a place whose own source was left
        // out.
        let is_told = !self.is_column_missing && (self.in_warning || self.errors > WITH_SOURCE);
        if is_source && is_told && !reports(&line) {
            self.found = true;
            out.fold(&line);
        } else {
            self.other(&line, may_be_message, out);
        }
    }

    fn other(&mut self, line: &str, may_be_message: bool, out: &mut Emitter<'_>) {
        if self.noise.is_match(line) {
            self.found = true;
            self.in_warning = false;
            return out.noise(line);
        }
        if may_be_message && WARNING.is_match(line) {
            self.in_warning = true;
        } else if (may_be_message && OTHER.is_match(line)) || !line.starts_with([' ', '\t']) {
            self.in_warning = false;
        }
        out.keep(line);
    }
}

/// Whether a line has one of the words of messages.
fn may_be_message(line: &str) -> bool {
    match WORDS.as_ref() {
        // Fallback for processors without the required instructions.
        None => MESSAGE.is_match(line),
        Some(words) => words.find(line).is_some(),
    }
}

impl Reducer for Machine {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if std::mem::take(&mut self.after_marks)
            && line.starts_with("      ")
            && !may_be_message(line)
            && !MARKS.is_match(line)
        {
            self.found = true;
            return out.omit(line);
        }
        let first = line.trim_start().as_bytes().first();
        let has_marks = matches!(first, Some(b'|' | b'~' | b'^')) && MARKS.is_match(line);
        self.settle(has_marks && !line.contains('|'), out);
        if (self.in_warning || self.errors > WITH_SOURCE)
            && !(self.is_column_missing && has_marks)
            && SNIPPET.is_match(line)
        {
            self.found = true;
            return out.fold(line);
        }
        if has_marks && self.is_column_missing {
            return out.keep(line);
        }
        if has_marks || (line.ends_with([':', '.', 'n']) && CONTEXT.is_match(line)) {
            self.found = true;
            self.after_marks = has_marks && !line.contains('|');
            return out.fold(line);
        }
        let may_be_message = may_be_message(line);
        let is_head = may_be_message && HEAD.is_match(line);
        if is_head {
            self.is_column_missing = !names_column(line);
        }
        if is_head && ERROR_HEAD.is_match(line) {
            self.errors += 1;
        }
        if std::mem::replace(&mut self.after_head, is_head) && !is_head {
            self.next = Some((line.to_owned(), may_be_message));
            return;
        }
        self.other(line, may_be_message, out);
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.settle(false, out);
        self.found.then_some(FilterConfidence::Full)
    }
}
