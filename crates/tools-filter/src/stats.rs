//! Statistics of filters: a line for the user, and counters for each rule.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use tools_core::FilterStats;

use crate::confidence::ConfidenceCounters;

/// `[shell] 342 lines -> 28 lines, 91.8% filtered`; `None` when no line was removed.
pub fn stats_line(stats: &FilterStats) -> Option<String> {
    if stats.lines_out >= stats.lines_in {
        return None;
    }
    // Tenths of a percent, rounded half up. Line counts are far too small to overflow here.
    let removed = u128::from(stats.lines_in - stats.lines_out);
    let tenths = (removed * 2000 + u128::from(stats.lines_in)) / (u128::from(stats.lines_in) * 2);
    Some(format!(
        "[shell] {} lines -> {} lines, {}.{}% filtered",
        stats.lines_in,
        stats.lines_out,
        tenths / 10,
        tenths % 10
    ))
}

/// Totals of one rule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RuleTotals {
    /// Number of filtered outputs.
    pub runs: u64,
    /// Lines before.
    pub lines_in: u64,
    /// Lines after.
    pub lines_out: u64,
    /// Bytes before.
    pub bytes_in: u64,
    /// Bytes after.
    pub bytes_out: u64,
}

/// Counters in memory, for each rule and each degree of confidence.
#[derive(Debug, Default)]
pub struct FilterMetrics {
    confidence: ConfidenceCounters,
    rules: Mutex<BTreeMap<String, RuleTotals>>,
}

/// Number of outputs after which a debug line logs the totals.
const LOG_EVERY: u64 = 50;

impl FilterMetrics {
    pub(crate) fn count(&self, stats: &FilterStats, bytes_in: u64, bytes_out: u64) {
        self.confidence.count(stats.confidence);
        let mut rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        let totals = rules.entry(stats.rule.clone()).or_default();
        totals.runs += 1;
        totals.lines_in += stats.lines_in;
        totals.lines_out += stats.lines_out;
        totals.bytes_in += bytes_in;
        totals.bytes_out += bytes_out;
        let runs: u64 = rules.values().map(|totals| totals.runs).sum();
        if runs.is_multiple_of(LOG_EVERY) {
            let lines_in: u64 = rules.values().map(|totals| totals.lines_in).sum();
            let lines_out: u64 = rules.values().map(|totals| totals.lines_out).sum();
            let (full, partial, fallback) = self.confidence.totals();
            tracing::debug!(runs, lines_in, lines_out, full, partial, fallback, "filters so far");
        }
    }

    /// The counters of the filters' confidence.
    pub fn confidence(&self) -> &ConfidenceCounters {
        &self.confidence
    }

    /// The totals of each rule, by name.
    pub fn rules(&self) -> BTreeMap<String, RuleTotals> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use tools_core::FilterConfidence;

    use super::*;

    #[test]
    fn the_line_says_how_much_was_removed() {
        let stats = |lines_in, lines_out| FilterStats {
            rule: "r".to_owned(),
            confidence: FilterConfidence::Full,
            lines_in,
            lines_out,
        };
        assert_eq!(stats_line(&stats(342, 28)).unwrap(), "[shell] 342 lines -> 28 lines, 91.8% filtered");
        assert_eq!(stats_line(&stats(3, 0)).unwrap(), "[shell] 3 lines -> 0 lines, 100.0% filtered");
        assert_eq!(stats_line(&stats(5, 5)), None);
        assert_eq!(stats_line(&stats(0, 0)), None);
        assert_eq!(stats_line(&stats(5, 9)), None);
    }
}
