//! The section `[tools.anomaly]`, and what it compiles to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_core::KeyFault;

/// Maximum number of remembered results per tool.
const MAX_WINDOW: usize = 10_000;
/// Maximum cooldown in seconds: a week.
const MAX_COOLDOWN: u64 = 604_800;

/// Blocks tools that keep failing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AnomalyConfig {
    /// Whether failures of each tool are counted, to warn about tools that keep failing and to
    /// block them.
    #[schemars(extend("x-overlay" = true))]
    pub enabled: bool,
    /// Number of latest results of a tool from which its share of failures is computed.
    pub window_size: usize,
    /// Minimum number of results of a tool before it can be blocked or warned about.
    pub min_samples: usize,
    /// Share of failed results, from 0 to 1, above which a person is warned about a tool.
    pub warn_threshold: f64,
    /// Share of failed results, from 0 to 1, above which a tool is blocked.
    #[schemars(extend("x-overlay" = "lower"))]
    pub failure_threshold: f64,
    /// Whether a tool above `failure_threshold` is blocked. If false, a person is only warned.
    #[schemars(extend("x-overlay" = true))]
    pub auto_block: bool,
    /// Seconds for which a tool stays blocked before one call may test whether it works again.
    pub cooldown: u64,
}

impl Default for AnomalyConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            window_size: 20,
            min_samples: 10,
            warn_threshold: 0.5,
            failure_threshold: 0.7,
            auto_block: true,
            cooldown: 600,
        }
    }
}

/// The compiled section.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AnomalyPolicy(pub(super) AnomalyConfig);

impl AnomalyConfig {
    /// Checks the values.
    ///
    /// # Errors
    /// Names the key whose value cannot be used.
    pub fn compile(&self) -> Result<AnomalyPolicy, KeyFault> {
        let fault = |key: &str, problem: String| Err(KeyFault::new(key, problem));
        if !(1..=MAX_WINDOW).contains(&self.window_size) {
            return fault("window_size", format!("expected 1 to {MAX_WINDOW} results"));
        }
        if self.min_samples > self.window_size {
            return fault("min_samples", "expected at most `window_size`: more results are never there".to_owned());
        }
        for (key, share) in [("warn_threshold", self.warn_threshold), ("failure_threshold", self.failure_threshold)] {
            if !(0.0..=1.0).contains(&share) {
                return fault(key, "expected a share between 0.0 and 1.0".to_owned());
            }
        }
        if self.cooldown > MAX_COOLDOWN {
            return fault("cooldown", format!("expected at most {MAX_COOLDOWN} seconds, a week"));
        }
        Ok(AnomalyPolicy(self.clone()))
    }
}
