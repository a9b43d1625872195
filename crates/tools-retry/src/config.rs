//! The section `[tools.retry]`, and what it compiles to.

use std::{sync::Arc, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_core::{KeyFault, ToolDef};

/// The most attempts that can be configured.
const MAX_ATTEMPTS: u32 = 10;
/// The longest pause and budget: an hour.
const MAX_SECS: u64 = 3_600;

/// Tries calls again that failed for a reason that may pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RetryConfig {
    /// Maximum number of attempts of a call that fails for a passing reason, from 1 to 10. 1: no
    /// retry.
    pub max_attempts: u32,
    /// Pause before the first retry of a call, in milliseconds; each further pause is twice as
    /// long.
    pub base_ms: u64,
    /// Longest pause before a retry, in milliseconds.
    pub max_ms: u64,
    /// Seconds after the first attempt within which a retry may start.
    pub budget_secs: u64,
    /// Name of the provider in `[[llm.providers]]` that corrects wrong parameters of an agent's
    /// calls. Empty: the model that wrote them.
    pub parameter_reformat_provider: String,
}

impl Default for RetryConfig {
    fn default() -> Self {
        Self {
            max_attempts: 2,
            base_ms: 500,
            max_ms: 5_000,
            budget_secs: 30,
            parameter_reformat_provider: String::new(),
        }
    }
}

/// The compiled section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Maximum number of attempts of a call.
    pub attempts: u32,
    /// The first pause.
    pub base: Duration,
    /// The longest pause.
    pub longest: Duration,
    /// Time after the first attempt within which another one may begin.
    pub budget: Duration,
}

impl RetryConfig {
    /// Checks the values.
    ///
    /// # Errors
    /// Names the key whose value cannot be used.
    pub fn compile(&self) -> Result<RetryPolicy, KeyFault> {
        let fault = |key: &str, problem: &str| Err(KeyFault::new(key, problem));
        if !(1..=MAX_ATTEMPTS).contains(&self.max_attempts) {
            return fault("max_attempts", "expected 1 to 10 attempts");
        }
        if self.max_ms > MAX_SECS * 1_000 {
            return fault("max_ms", "expected at most 3600000 milliseconds, an hour");
        }
        if self.base_ms > self.max_ms {
            return fault("base_ms", "expected at most `max_ms`");
        }
        if self.budget_secs > MAX_SECS {
            return fault("budget_secs", "expected at most 3600 seconds, an hour");
        }
        Ok(RetryPolicy {
            attempts: self.max_attempts,
            base: Duration::from_millis(self.base_ms),
            longest: Duration::from_millis(self.max_ms),
            budget: Duration::from_secs(self.budget_secs),
        })
    }

    /// Sentences about settings of the section without effect. `tools` are all available tools.
    pub fn lint(&self, tools: &[Arc<ToolDef>], has_models: bool) -> Vec<String> {
        let mut found = Vec::new();
        if !has_models && !self.parameter_reformat_provider.is_empty() {
            let name = "`tools.retry.parameter_reformat_provider`";
            found.push(format!("{name}: no model is configured, so parameters are not reformatted"));
        }
        let is_usual = Self { parameter_reformat_provider: String::new(), ..self.clone() } == Self::default();
        if !is_usual && !tools.iter().any(|tool| tool.trusted_traits().retryable) {
            found.push("`tools.retry`: no tool here may be repeated, so that nothing is retried".to_owned());
        }
        found
    }
}
