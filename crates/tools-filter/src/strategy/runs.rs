//! `runs`: of consecutive lines that differ in nothing but numbers, the first few and the last stay.

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::FilterConfidence;

use super::{Facts, Reducer, Strategy, dedup::template};
use crate::{emit::Emitter, signal::severity};

/// Parameters of `runs`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Runs {
    /// Lines shown at the beginning of a run.
    pub keep: usize,
}

impl Default for Runs {
    fn default() -> Self {
        Self { keep: 4 }
    }
}

impl Strategy for Runs {
    fn start(&self, _: &Facts) -> Box<dyn Reducer> {
        Box::new(Machine { keep: self.keep, kind: None, count: 0, last: None, found: false })
    }
}

struct Machine {
    keep: usize,
    kind: Option<u64>,
    count: usize,
    /// The last line of the run, shown when it ends.
    last: Option<String>,
    found: bool,
}

impl Machine {
    fn end(&mut self, out: &mut Emitter<'_>) {
        self.count = 0;
        if let Some(last) = self.last.take() {
            out.keep(&last);
        }
    }
}

impl Reducer for Machine {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let kind = (line.bytes().any(|byte| byte.is_ascii_digit()) && severity(line).is_none()).then(|| template(line));
        if kind.is_none() || kind != self.kind {
            self.end(out);
            self.kind = kind;
        }
        self.count += 1;
        if kind.is_none() || self.count <= self.keep {
            return out.keep(line);
        }
        if let Some(last) = self.last.replace(line.to_owned()) {
            self.found = true;
            out.omit(&last);
        }
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.end(out);
        self.found.then_some(FilterConfidence::Full)
    }
}
