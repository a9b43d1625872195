//! Collects consecutive lines that begin with the same text. The kind of line ([`LinePrefix`])
//! decides how they are shown together.

use tools_core::FilterConfidence;

use super::Reducer;
use crate::emit::Emitter;

/// Maximum number of held lines; more start a new group.
const MAX_HELD: usize = 1000;

/// A kind of line that often shares its beginning with its neighbours.
pub(crate) trait LinePrefix: Send {
    /// The length of the line's beginning; `None` for a line of another kind.
    fn beginning(&self, line: &str) -> Option<usize>;

    /// Writes the lines, which share a beginning of this length, together. `false` when they have
    /// to stay as they are; then nothing was written.
    fn joined(&self, lines: &[String], beginning: usize, out: &mut Emitter<'_>) -> bool;
}

/// Joins lines of one kind.
pub(crate) struct LineJoiner<K> {
    kind: K,
    /// Original lines with the same beginning.
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
