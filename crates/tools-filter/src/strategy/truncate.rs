//! `truncate`: keeps the beginning and the end of a long output, and whatever reports something
//! between them.

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::FilterConfidence;

use super::{Facts, Reducer, Strategy, StrategyError, clip::Clip};
use crate::emit::Emitter;

/// Parameters of `truncate`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Truncate {
    /// Maximum number of lines of an output that is left as it is.
    pub max_lines: usize,
    /// Lines kept at the beginning.
    pub head: usize,
    /// Lines kept at the end.
    pub tail: usize,
}

impl Default for Truncate {
    fn default() -> Self {
        Self { max_lines: 40, head: 20, tail: 20 }
    }
}

impl Truncate {
    pub(crate) fn compile(&self) -> Result<Self, StrategyError> {
        if self.max_lines < self.head.saturating_add(self.tail) {
            return Err(StrategyError::Threshold { limit: "max_lines", head: "head", tail: "tail" });
        }
        Ok(self.clone())
    }
}

impl Strategy for Truncate {
    fn start(&self, _: &Facts) -> Box<dyn Reducer> {
        Box::new(Machine { max_lines: self.max_lines, seen: Some(Vec::new()), clip: Clip::new(self.head, self.tail) })
    }
}

struct Machine {
    max_lines: usize,
    /// All lines so far, while there may still be few enough.
    seen: Option<Vec<String>>,
    clip: Clip,
}

impl Reducer for Machine {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let Some(seen) = &mut self.seen else { return self.clip.line(line, out) };
        if seen.len() < self.max_lines {
            return seen.push(line.to_owned());
        }
        for line in self.seen.take().unwrap_or_default() {
            self.clip.line(&line, out);
        }
        self.clip.line(line, out);
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        if let Some(seen) = self.seen.take() {
            for line in &seen {
                out.keep(line);
            }
            return None;
        }
        self.clip.finish(out);
        Some(FilterConfidence::Partial)
    }
}
