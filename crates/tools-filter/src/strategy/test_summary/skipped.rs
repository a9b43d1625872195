//! Reasons of skipped tests; each is shown once.

use std::collections::HashSet;

/// Maximum number of remembered reasons.
const MAX_REASONS: usize = 1000;

/// The reasons that were shown.
#[derive(Default)]
pub(super) struct Reasons(HashSet<String>);

/// The reason in the line of a skipped test: `test_a.py::test_b SKIPPED (no network) [ 50%]`,
/// `test_b (test_a.A.test_b) ... skipped 'no network'`, `test a::b ... ignored, no network`.
fn reason(line: &str) -> Option<&str> {
    let line = line.trim_end();
    let after = |sign: &str| line.rsplit_once(sign).map(|(_, reason)| reason);
    let text = match after(" SKIPPED (") {
        Some(rest) => rest.rsplit_once(')').map_or(rest, |(reason, _)| reason),
        None => after(" ... skipped ").or_else(|| after(" ... ignored, "))?,
    };
    let text = text.trim_matches(['\'', '"', ' ']);
    (!text.is_empty()).then_some(text)
}

impl Reasons {
    /// Whether a line gives a reason for a skipped test that no earlier line gave.
    pub(super) fn is_new(&mut self, line: &str) -> bool {
        self.0.len() < MAX_REASONS && reason(line).is_some_and(|reason| self.0.insert(reason.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_new_once() {
        let mut reasons = Reasons::default();
        let table = [
            ("test_a.py::test_b SKIPPED (no network)                 [ 50%]", true),
            ("test_a.py::test_c SKIPPED (no network)                 [ 60%]", false),
            ("test_d (test_a.A.test_d) ... skipped 'no disk'", true),
            ("test a::e ... ignored, takes an hour", true),
            ("test a::f ... ignored", false),
            ("test_a.py::test_g PASSED", false),
            ("test_h (test_a.A.test_h) ... skipped ''", false),
        ];
        for (line, expected) in table {
            assert_eq!(reasons.is_new(line), expected, "{line}");
        }
    }
}
