//! Estimates how full the model's context is, from the provider's last count and the bytes added
//! since. Pure.

use tools_providers::Usage;

/// Assumed bytes per token if nothing was counted.
const BYTES_PER_TOKEN: u64 = 4;
/// Assumed bytes per token of removed text: larger, so that the estimate is rather too high.
const REMOVED_BYTES_PER_TOKEN: u64 = 6;
/// Maximum share of the budget for a request, in percent.
const STOP: u64 = 80;
/// Share of that maximum at which the conversation is shortened, in percent.
const SHORTEN: u64 = 90;

/// Fill of the context.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Budget {
    /// The provider's last count of request and answer; `None` before the first answer.
    counted: Option<u64>,
    /// Bytes added since.
    added: u64,
    /// Bytes removed since.
    removed: u64,
}

/// Action required by the fill of the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pressure {
    /// None.
    Low,
    /// The conversation should become shorter.
    High,
    /// No further request may be made.
    Over {
        /// Maximum number of tokens of a context.
        limit: u64,
    },
}

impl Budget {
    /// Notes the provider's count for a request and its answer. If the provider counts nothing, the
    /// estimate by bytes stays.
    pub(crate) fn counted(&mut self, usage: &Usage) {
        if usage.read() > 0 {
            *self = Self { counted: Some(usage.read().saturating_add(usage.output)), added: 0, removed: 0 };
        }
    }

    /// Notes that the conversation grew.
    pub(crate) fn grew(&mut self, bytes: u64) {
        self.added = self.added.saturating_add(bytes);
    }

    /// Notes that something was removed.
    pub(crate) fn shrank(&mut self, bytes: u64) {
        self.removed = self.removed.saturating_add(bytes);
    }

    /// Number of tokens of the next request, as far as known. `prefix` is the size in bytes of what
    /// precedes the conversation: it counts only before the provider's first count.
    pub(crate) fn tokens(&self, prefix: u64) -> u64 {
        let added = self.added.div_ceil(BYTES_PER_TOKEN);
        if let Some(counted) = self.counted {
            return counted.saturating_add(added).saturating_sub(self.removed / REMOVED_BYTES_PER_TOKEN);
        }
        let kept = self.added.saturating_sub(self.removed);
        prefix.saturating_add(kept).div_ceil(BYTES_PER_TOKEN)
    }

    /// The action for a number of tokens under a budget.
    pub(crate) fn pressure(tokens: u64, budget: u64) -> Pressure {
        let limit = Self::limit(budget);
        if tokens > limit {
            Pressure::Over { limit }
        } else if u128::from(tokens) * 100 >= u128::from(limit) * u128::from(SHORTEN) {
            Pressure::High
        } else {
            Pressure::Low
        }
    }

    /// The maximum number of tokens of a request under a budget.
    pub fn limit(budget: u64) -> u64 {
        u64::try_from(u128::from(budget) * u128::from(STOP) / 100).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_new_counts_on_top_of_what_was_counted() {
        let mut budget = Budget::default();
        budget.grew(401);
        assert_eq!(budget.tokens(400), 201);
        budget.counted(&Usage { input: 100, cached_read: 50, cache_write: 25, output: 25 });
        assert_eq!(budget.tokens(400), 200);
        budget.grew(40);
        budget.shrank(60);
        assert_eq!(budget.tokens(400), 200);
        budget.counted(&Usage::default());
        assert_eq!(budget.tokens(400), 200, "a provider that counts nothing");
    }

    #[test]
    fn a_request_holds_four_fifths_of_the_budget_at_most() {
        assert_eq!(Budget::pressure(719, 1000), Pressure::Low);
        assert_eq!(Budget::pressure(720, 1000), Pressure::High);
        assert_eq!(Budget::pressure(800, 1000), Pressure::High);
        assert_eq!(Budget::pressure(801, 1000), Pressure::Over { limit: 800 });
        assert_eq!(Budget::pressure(u64::MAX, u64::MAX), Pressure::Over { limit: Budget::limit(u64::MAX) });
    }
}
