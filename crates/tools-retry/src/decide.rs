//! Decides, without side effects, whether and when a call is repeated.

use std::time::Duration;

use tools_core::{ToolDef, ToolError};

use crate::RetryPolicy;

/// An attempt that failed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attempt<'a> {
    /// The tool.
    pub definition: &'a ToolDef,
    /// The error.
    pub error: &'a ToolError,
    /// Number of attempts so far.
    pub made: u32,
    /// Time since the first attempt.
    pub since: Duration,
    /// A random number between 0 and 1. It spreads the retries of many callers over time.
    pub chance: f64,
}

/// Decision about another attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plan {
    /// The failure is final.
    Stop,
    /// Another attempt after this pause.
    Again(Duration),
}

/// Decides about another attempt.
pub(crate) fn plan(policy: &RetryPolicy, attempt: &Attempt<'_>) -> Plan {
    let may_be_repeated = attempt.definition.trusted_traits().retryable && attempt.error.category().is_retryable();
    if !may_be_repeated || attempt.made >= policy.attempts {
        return Plan::Stop;
    }
    let doubled = policy.base.saturating_mul(2_u32.saturating_pow(attempt.made.saturating_sub(1)));
    let chance = if attempt.chance.is_finite() { attempt.chance.clamp(0.0, 1.0) } else { 1.0 };
    let jittered = doubled.min(policy.longest).mul_f64(chance);
    // A retry before the time that the other side names would fail again.
    let pause = attempt.error.retry_after().map_or(jittered, |asked| asked.max(jittered));
    if attempt.since.saturating_add(pause) > policy.budget { Plan::Stop } else { Plan::Again(pause) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tools_core::{ToolErrorCategory as C, ToolKind, ToolName, ToolTraits};

    use super::*;
    use crate::RetryConfig;

    fn tool(traits: ToolTraits) -> ToolDef {
        let schema = serde_json::from_str("{}").unwrap();
        ToolDef::new(ToolName::parse("t").unwrap(), "", schema, ToolKind::Fetch, traits)
    }

    fn planned(traits: ToolTraits, error: &ToolError, made: u32, since: u64) -> Plan {
        let policy = RetryConfig { max_attempts: 4, ..RetryConfig::default() }.compile().unwrap();
        let since = Duration::from_secs(since);
        plan(&policy, &Attempt { definition: &tool(traits), error, made, since, chance: 1.0 })
    }

    fn error(category: C) -> ToolError {
        ToolError::new(category, "x", "m")
    }

    #[test]
    fn only_failures_that_pass_of_tools_that_may_be_repeated() {
        let again = |milliseconds| Plan::Again(Duration::from_millis(milliseconds));
        for category in [C::RateLimited, C::ServerError, C::NetworkError, C::Timeout] {
            assert_eq!(planned(ToolTraits::FETCH, &error(category), 1, 0), again(500), "{category}");
            assert_eq!(planned(ToolTraits::EDIT, &error(category), 1, 0), Plan::Stop, "{category}");
        }
        for category in
            [C::PolicyBlocked, C::ConfirmationRequired, C::PermanentFailure, C::Cancelled, C::InvalidParameters]
        {
            assert_eq!(planned(ToolTraits::FETCH, &error(category), 1, 0), Plan::Stop, "{category}");
        }
    }

    #[test]
    fn pauses_grow_within_bounds() {
        let again = |milliseconds| Plan::Again(Duration::from_millis(milliseconds));
        let limited = error(C::RateLimited);
        assert_eq!(planned(ToolTraits::FETCH, &limited, 2, 0), again(1_000));
        assert_eq!(planned(ToolTraits::FETCH, &limited, 3, 0), again(2_000));
        assert_eq!(planned(ToolTraits::FETCH, &limited, 4, 0), Plan::Stop);
        assert_eq!(planned(ToolTraits::FETCH, &limited, 1, 30), Plan::Stop);
        let patient = limited.clone().with_retry_after(Duration::from_secs(7));
        assert_eq!(planned(ToolTraits::FETCH, &patient, 1, 0), again(7_000));
        let slow = limited.with_retry_after(Duration::from_secs(31));
        assert_eq!(planned(ToolTraits::FETCH, &slow, 1, 0), Plan::Stop);
    }

    proptest! {
        #[test]
        fn no_pause_leads_beyond_the_budget(made in 0_u32..50, since in 0_u64..100_000, after in 0_u64..u64::MAX, chance in any::<f64>()) {
            let policy = RetryConfig { max_attempts: 10, ..RetryConfig::default() }.compile().unwrap();
            let error = error(C::RateLimited).with_retry_after(Duration::from_millis(after));
            let since = Duration::from_millis(since);
            let attempt = Attempt { definition: &tool(ToolTraits::FETCH), error: &error, made, since, chance };
            if let Plan::Again(pause) = plan(&policy, &attempt) {
                prop_assert!(made < 10 && since + pause <= policy.budget && pause >= Duration::from_millis(after));
            }
        }
    }
}
