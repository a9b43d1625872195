//! The section `[tools.utility]`, and what it compiles to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_core::KeyFault;

/// Skips calls that are not worth making.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UtilityConfig {
    /// Whether calls that only read get a score, and those that are not worth making are skipped.
    pub enabled: bool,
    /// Score below which a call is skipped.
    pub threshold: f64,
    /// Tools whose calls are never skipped.
    pub exempt_tools: Vec<String>,
    /// Weights of the parts of the score.
    pub weights: UtilityWeights,
}

/// Weights of the parts of a score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UtilityWeights {
    /// Weight of the expected number of output tokens, which lowers the score of a call.
    pub cost: f64,
    /// Weight of the similarity of the last outputs about the same subjects, which lowers the score
    /// of a call.
    pub redundancy: f64,
    /// Weight of how rarely the tool was used in the session, which raises the score of a call.
    pub exploration: f64,
}

impl Default for UtilityConfig {
    fn default() -> Self {
        let exempt_tools = ["invoke_skill", "load_skill"].map(str::to_owned).into();
        Self { enabled: false, threshold: 0.0, exempt_tools, weights: UtilityWeights::default() }
    }
}

impl Default for UtilityWeights {
    fn default() -> Self {
        Self { cost: 0.3, redundancy: 0.5, exploration: 0.2 }
    }
}

/// The compiled section.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UtilityPolicy(pub(super) UtilityConfig);

impl UtilityConfig {
    /// Checks the values.
    ///
    /// # Errors
    /// Names the key whose value cannot be used.
    pub fn compile(&self) -> Result<UtilityPolicy, KeyFault> {
        if !self.threshold.is_finite() {
            return Err(KeyFault::new("threshold", "expected a number"));
        }
        let UtilityWeights { cost, redundancy, exploration } = self.weights;
        let problem = "expected a number that is not negative";
        for (key, weight) in
            [("weights.cost", cost), ("weights.redundancy", redundancy), ("weights.exploration", exploration)]
        {
            if !(weight.is_finite() && weight >= 0.0) {
                return Err(KeyFault::new(key, problem));
            }
        }
        Ok(UtilityPolicy(self.clone()))
    }
}
