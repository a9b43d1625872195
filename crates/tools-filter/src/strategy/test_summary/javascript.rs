//! The lines of jest and vitest: the source that they show under a failure.

use super::run::Machine;
use crate::emit::Emitter;

impl Machine {
    /// Of the source under a failure the line that it is about is shown: jest marks it with `>`,
    /// vitest with marks below.
    pub(super) fn js_source(&mut self, line: &str, out: &mut Emitter<'_>) {
        // Its words are the program's, not a report.
        out.fold(line);
        let is_mark = line.trim_end().ends_with(['^', '~']) && !line.contains(|c: char| c.is_ascii_alphanumeric());
        match self.source.take() {
            Some(source) if is_mark => out.write(&source),
            _ if !is_mark => self.source = Some(line.to_owned()),
            _ => {}
        }
    }
}
