//! The section `[tools.adversarial_policy]`, and what it compiles to.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The longest a judge may take, in seconds.
const LONGEST: u64 = 600;

/// Lets a model judge each call against policies written in plain language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AdversarialConfig {
    /// Whether calls are judged.
    pub enabled: bool,
    /// Whether a call goes on when the judge gives no answer.
    pub fail_open: bool,
    /// The policies, each a sentence.
    pub policies: Vec<String>,
    /// Tools whose calls are not judged.
    pub exempt_tools: Vec<String>,
    /// The name of the model that judges.
    pub provider: String,
    /// Whether a refusal stops the call; otherwise a person is only warned.
    pub block_on_reject: bool,
    /// How many seconds the judge may take for a call.
    pub timeout: u64,
}

impl Default for AdversarialConfig {
    fn default() -> Self {
        let exempt = ["memory_save", "memory_search", "read_overflow", "load_skill", "schedule_deferred"];
        Self {
            enabled: false,
            fail_open: false,
            policies: vec![],
            exempt_tools: exempt.map(str::to_owned).into(),
            provider: String::new(),
            block_on_reject: true,
            timeout: 10,
        }
    }
}

/// A value that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{key}`: {problem}")]
pub struct AdversarialError {
    /// The key below `tools.adversarial_policy`.
    pub key: &'static str,
    /// What would be right.
    pub problem: &'static str,
}

/// The compiled section.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AdversarialPolicy(pub(super) AdversarialConfig);

impl AdversarialConfig {
    /// Checks the values.
    ///
    /// # Errors
    /// Names the key whose value cannot be used.
    pub fn compile(&self) -> Result<AdversarialPolicy, AdversarialError> {
        if !(1..=LONGEST).contains(&self.timeout) {
            return Err(AdversarialError { key: "timeout", problem: "expected 1 to 600 seconds" });
        }
        if self.policies.iter().any(|policy| policy.trim().is_empty()) {
            return Err(AdversarialError { key: "policies", problem: "an empty policy says nothing" });
        }
        Ok(AdversarialPolicy(self.clone()))
    }
}

impl AdversarialPolicy {
    /// Whether calls of a tool are judged.
    pub fn judges(&self, tool: &str) -> bool {
        let config = &self.0;
        config.enabled && !config.policies.is_empty() && !config.exempt_tools.iter().any(|exempt| exempt == tool)
    }

    pub(super) fn patience(&self) -> Duration {
        Duration::from_secs(self.0.timeout)
    }
}
