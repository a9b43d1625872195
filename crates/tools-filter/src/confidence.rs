//! Combines the confidence of several stages, and counts how often each degree occurred.

use std::sync::atomic::{AtomicU64, Ordering};

use tools_core::FilterConfidence;

/// The lowest confidence of the stages that recognised something; `Fallback` when none did.
pub(crate) fn worst(stages: impl IntoIterator<Item = Option<FilterConfidence>>) -> FilterConfidence {
    stages.into_iter().flatten().max().unwrap_or(FilterConfidence::Fallback)
}

/// Counters of the filters' confidence.
#[derive(Debug, Default)]
pub struct ConfidenceCounters {
    full: AtomicU64,
    partial: AtomicU64,
    fallback: AtomicU64,
}

impl ConfidenceCounters {
    pub(crate) fn count(&self, confidence: FilterConfidence) {
        let counter = match confidence {
            FilterConfidence::Full => &self.full,
            FilterConfidence::Partial => &self.partial,
            FilterConfidence::Fallback => &self.fallback,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts of full, partial and fallback.
    pub fn totals(&self) -> (u64, u64, u64) {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        (read(&self.full), read(&self.partial), read(&self.fallback))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_sure_stage_speaks_for_all() {
        use FilterConfidence::{Fallback, Full, Partial};
        assert_eq!(worst([Some(Full), Some(Partial), None]), Partial);
        assert_eq!(worst([Some(Full), Some(Fallback)]), Fallback);
        assert_eq!(worst([None, Some(Full)]), Full);
        assert_eq!(worst([None, None]), Fallback);
    }
}
