//! Assesses a tool by its last results. Pure.

use std::collections::VecDeque;

use tools_core::{ErrorDetail, Outcome, ToolErrorCategory};

use super::config::AnomalyPolicy;

/// Severity of a failure rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing unusual, or too few results.
    Normal,
    /// A person is warned.
    Warning,
    /// The tool is blocked.
    Critical,
}

/// The last results of a tool.
#[derive(Debug, Clone, Default)]
pub(super) struct Window {
    results: VecDeque<bool>,
    failed: usize,
}

impl Window {
    /// Adds a result; a full window drops the oldest.
    pub(super) fn push(&mut self, failed: bool, size: usize) {
        self.results.push_back(failed);
        self.failed += usize::from(failed);
        while self.results.len() > size {
            self.failed -= usize::from(self.results.pop_front().unwrap_or_default());
        }
    }

    /// The number of failures and of results.
    pub(crate) fn failures(&self) -> (usize, usize) {
        (self.failed, self.results.len())
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Assesses a window of results.
#[expect(clippy::cast_precision_loss, reason = "a window holds at most ten thousand results")]
pub(crate) fn assess(policy: &AnomalyPolicy, window: &Window) -> Severity {
    let (failed, total) = window.failures();
    if total < policy.0.min_samples.max(1) {
        return Severity::Normal;
    }
    let share = failed as f64 / total as f64;
    if share > policy.0.failure_threshold {
        Severity::Critical
    } else if share > policy.0.warn_threshold {
        Severity::Warning
    } else {
        Severity::Normal
    }
}

/// Whether the outcome of a call is a failure; `None` if it is not counted. A command that ended by
/// itself is an output, whatever its exit code. Commands fail if they timed out, could not be
/// found or waited for an answer.
pub(crate) fn counts(outcome: &Outcome) -> Option<bool> {
    use ToolErrorCategory as C;
    let Err(error) = outcome else { return Some(false) };
    match error.category() {
        C::PermanentFailure if *error.detail() == ErrorDetail::OfTheCall => None,
        C::RateLimited | C::ServerError | C::NetworkError | C::Timeout | C::PermanentFailure => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use tools_core::ToolError;

    use super::*;
    use crate::anomaly::AnomalyConfig;

    fn window(failed: usize, worked: usize, size: usize) -> Window {
        let mut window = Window::default();
        (0..failed).for_each(|_| window.push(true, size));
        (0..worked).for_each(|_| window.push(false, size));
        window
    }

    #[test]
    fn the_edges_of_window_and_threshold() {
        let policy = AnomalyConfig::default().compile().unwrap();
        let check = |failed, worked, expected| {
            assert_eq!(assess(&policy, &window(failed, worked, 20)), expected, "{failed} of {}", failed + worked);
        };
        check(9, 0, Severity::Normal);
        check(10, 0, Severity::Critical);
        check(14, 6, Severity::Warning);
        check(15, 5, Severity::Critical);
        check(10, 10, Severity::Normal);
        check(11, 9, Severity::Warning);
        check(0, 20, Severity::Normal);
        // The oldest fall out.
        check(20, 7, Severity::Warning);
        check(20, 20, Severity::Normal);
        assert_eq!(window(30, 0, 20).failures(), (20, 20));
    }

    #[test]
    fn only_failures_of_the_tool_count() {
        use ToolErrorCategory as C;
        let of = |category, code| counts(&Err(ToolError::new(category, code, "m")));
        for category in [C::RateLimited, C::ServerError, C::NetworkError, C::Timeout, C::PermanentFailure] {
            assert_eq!(of(category, "x"), Some(true), "{category}");
        }
        for category in [
            C::PolicyBlocked,
            C::ConfirmationRequired,
            C::Cancelled,
            C::InvalidParameters,
            C::TypeMismatch,
            C::ToolNotFound,
        ] {
            assert_eq!(of(category, "x"), None, "{category}");
        }
        let missing = ToolError::new(C::PermanentFailure, "x", "m").with_detail(ErrorDetail::OfTheCall);
        assert_eq!(counts(&Err(missing)), None);
        for (category, code, exit_code) in
            [(C::PermanentFailure, "command_not_found", 127), (C::Timeout, "command_timeout", 124)]
        {
            let ended = ToolError::new(category, code, "m");
            let ended = ended.with_detail(ErrorDetail::Shell { exit_code, signal: None });
            assert_eq!(counts(&Err(ended)), Some(true), "{code}");
        }
        assert_eq!(counts(&Ok(tools_core::ToolOutput::text(""))), Some(false));
    }

    #[test]
    fn values_that_cannot_be_meant_are_refused_by_key() {
        let key = |config: AnomalyConfig| config.compile().err().map_or_else(String::new, |fault| fault.key);
        let config = AnomalyConfig::default;
        assert_eq!(key(AnomalyConfig { window_size: 0, ..config() }), "window_size");
        assert_eq!(key(AnomalyConfig { min_samples: 21, ..config() }), "min_samples");
        assert_eq!(key(AnomalyConfig { failure_threshold: f64::NAN, ..config() }), "failure_threshold");
        assert_eq!(key(AnomalyConfig { warn_threshold: 1.1, ..config() }), "warn_threshold");
        assert_eq!(key(AnomalyConfig { cooldown: u64::MAX, ..config() }), "cooldown");
        assert_eq!(key(config()), "");
    }
}
