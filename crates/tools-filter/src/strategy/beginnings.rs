//! Lines in sequence that begin with the same text, held until another one comes: what is shown of
//! them together is said by what kind of lines they are.

use tools_core::FilterConfidence;

use super::Reducer;
use crate::emit::Emitter;

/// Lines of one beginning that are held; those behind them are a sequence of their own.
const MAX_HELD: usize = 1000;

/// A kind of line of which many have the same beginning.
pub(crate) trait LinePrefix: Send {
    /// How long the beginning of a line is; `None` for a line of another kind.
    fn beginning(&self, line: &str) -> Option<usize>;

    /// Shows lines with the same beginning, which has this length, together. `false` where each has
    /// to stand as it came; nothing was written then.
    fn joined(&self, lines: &[String], beginning: usize, out: &mut Emitter<'_>) -> bool;
}

/// Joins lines of one kind.
pub(crate) struct LineJoiner<K> {
    kind: K,
    /// Lines with the same beginning, as they came.
    held: Vec<String>,
    beginning: usize,
    found: bool,
}

impl<K: LinePrefix> LineJoiner<K> {
    pub(crate) fn new(kind: K) -> Self {
        Self { kind, held: Vec::new(), beginning: 0, found: false }
    }

    fn end(&mut self, out: &mut Emitter<'_>) {
        let held = std::mem::take(&mut self.held);
        if self.kind.joined(&held, self.beginning, out) {
            self.found = true;
        } else {
            for line in &held {
                out.keep(line);
            }
        }
    }
}

impl<K: LinePrefix> Reducer for LineJoiner<K> {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let Some(beginning) = self.kind.beginning(line) else {
            self.end(out);
            return out.keep(line);
        };
        let is_other = self.held.first().is_some_and(|first| first[..self.beginning] != line[..beginning]);
        if is_other || self.held.len() == MAX_HELD {
            self.end(out);
        }
        self.beginning = beginning;
        self.held.push(line.to_owned());
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.end(out);
        self.found.then_some(FilterConfidence::Full)
    }
}
