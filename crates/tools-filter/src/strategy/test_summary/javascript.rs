//! jest and vitest: the source under a failure.

use super::run::Machine;
use crate::emit::Emitter;

impl Machine {
    /// Shows only the failing line of the source under a failure: jest marks it with `>`, vitest
    /// with marks below.
    pub(super) fn js_source(&mut self, line: &str, out: &mut Emitter<'_>) {
        // Its words are source code, not a report.
        out.fold(line);
        let is_mark = line.trim_end().ends_with(['^', '~']) && !line.contains(|c: char| c.is_ascii_alphanumeric());
        match self.source.take() {
            Some(source) if is_mark => out.write(&source),
            _ if !is_mark => self.source = Some(line.to_owned()),
            _ => {}
        }
    }
}
