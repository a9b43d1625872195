//! Lines of a log, and steps of work that are counted, in the output of any command: of each kind
//! the first two stand, later ones are counted where they stood. What reports something stands, and
//! so does the last line.

use std::collections::HashMap;

use tools_core::FilterConfidence;

use super::{Reducer, dedup::template, unfinished::names_running};
use crate::{
    emit::{Emitter, marked},
    signal::{names_place, reports},
    table::{LOG_LINE, STEP},
};

/// So many of a kind are shown.
const SHOWN_OF_KIND: u32 = 2;
/// Kinds that are remembered; lines of others are shown.
const MAX_KINDS: usize = 4096;
/// A longer line is shown.
const MAX_LINE_BYTES: usize = 8 << 10;

#[derive(Default)]
pub(crate) struct LogKinds {
    /// Whether steps of work are counted too: a rule has its own way with them.
    of_steps: bool,
    kinds: HashMap<u64, u32>,
    /// The last line of a known kind, shown when nothing of its kind follows or a report does.
    last: Option<String>,
    found: bool,
}

impl LogKinds {
    pub(crate) fn new(of_steps: bool) -> Self {
        Self { of_steps, ..Self::default() }
    }

    fn is_work(&self, line: &str) -> bool {
        line.len() < MAX_LINE_BYTES
            && (LOG_LINE.is_match(line) || (self.of_steps && STEP.is_match(line)))
            && !reports(line)
            && !names_place(line)
            && !names_running(line)
            && marked(line).is_none()
    }

    /// Whether enough lines of its kind were shown.
    fn is_known(&mut self, line: &str) -> bool {
        let kind = template(line);
        if self.kinds.len() >= MAX_KINDS && !self.kinds.contains_key(&kind) {
            return false;
        }
        let count = self.kinds.entry(kind).or_default();
        *count = count.saturating_add(1);
        *count > SHOWN_OF_KIND
    }
}

impl Reducer for LogKinds {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if self.is_work(line) && self.is_known(line) {
            if let Some(last) = self.last.replace(line.to_owned()) {
                self.found = true;
                out.omit(&last);
            }
            return;
        }
        if let Some(last) = self.last.take() {
            // What was done before something failed belongs to it.
            if reports(line) {
                out.keep(&last);
            } else {
                self.found = true;
                out.omit(&last);
            }
        }
        out.keep(line);
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        if let Some(last) = self.last.take() {
            out.keep(&last);
        }
        self.found.then_some(FilterConfidence::Full)
    }
}
