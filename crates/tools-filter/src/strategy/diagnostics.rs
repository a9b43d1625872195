//! `diagnostics`: keeps compilers' messages. The source shown again under them stays for the first errors only; where it
//! is, each message says.

use std::sync::LazyLock;

use regex::Regex;
use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::FilterConfidence;

use super::{Facts, Reducer, Strategy, StrategyError, patterns::Patterns};
use crate::{
    emit::Emitter,
    lines::regex,
    table::{CONTEXT, MARKS, MESSAGE, OTHER, SNIPPET, WARNING},
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

static HEAD: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^(?:\[\w+\] )?\S[^:]*:(?:\[?\d+[,:]?\d*\]?:)? ?(?:\d+: )?(?:fatal )?(error|warning|note|remark)(?:\[[\w.-]+\])?: ",
    )
});

/// The source of so many errors is shown.
const WITH_SOURCE: usize = 3;

#[derive(Default)]
struct Machine {
    noise: Patterns,
    in_warning: bool,
    errors: usize,
    /// The line after a message, and whether it may be one: its source when marks follow it.
    next: Option<(String, bool)>,
    after_head: bool,
    found: bool,
}

impl Machine {
    /// Gives on the line after a message, which turned out to be the source or something else.
    fn settle(&mut self, is_source: bool, out: &mut Emitter<'_>) {
        let Some((line, may_be_message)) = self.next.take() else { return };
        if is_source && (self.in_warning || self.errors > WITH_SOURCE) {
            self.found = true;
            // The source, not a report: its words are the program's.
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

impl Reducer for Machine {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let first = line.trim_start().as_bytes().first();
        let has_marks = matches!(first, Some(b'|' | b'~' | b'^')) && MARKS.is_match(line);
        self.settle(has_marks && !line.contains('|'), out);
        if (self.in_warning || self.errors > WITH_SOURCE) && SNIPPET.is_match(line) {
            self.found = true;
            return out.fold(line);
        }
        if has_marks || (line.ends_with([':', '.', 'n']) && CONTEXT.is_match(line)) {
            self.found = true;
            return out.fold(line);
        }
        let may_be_message = MESSAGE.is_match(line);
        let head = may_be_message.then(|| HEAD.captures(line)).flatten();
        if head.as_ref().is_some_and(|head| &head[1] == "error") {
            self.errors += 1;
        }
        if std::mem::replace(&mut self.after_head, head.is_some()) && head.is_none() {
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
