//! The section `[tools.trust]`, and what it compiles to.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tools_core::{CallerId, ToolName, TrustLevel};

/// Trust in origins. Effective is the lowest level that has a say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TrustConfig {
    /// The most that any call is trusted: `trusted`, `provisional` or `untrusted`.
    #[schemars(extend("x-overlay" = ["trusted", "provisional", "untrusted"]))]
    pub level: TrustLevel,
    /// Levels by caller. A caller `a/b` is also held to the level of `a`.
    #[schemars(extend("x-overlay" = ["trusted", "provisional", "untrusted"]))]
    pub callers: BTreeMap<String, TrustLevel>,
    /// Levels by tool.
    #[schemars(extend("x-overlay" = ["trusted", "provisional", "untrusted"]))]
    pub tools: BTreeMap<String, TrustLevel>,
}

impl Default for TrustConfig {
    fn default() -> Self {
        Self { level: TrustLevel::Trusted, callers: BTreeMap::new(), tools: BTreeMap::new() }
    }
}

/// Reason why a level cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{path}`: {problem}")]
pub struct TrustConfigError {
    /// Key of the level.
    pub path: String,
    /// The problem.
    pub problem: String,
}

/// Compiled levels: what runs.
#[derive(Debug, Clone, Default)]
pub struct TrustPolicy {
    pub(super) config: TrustConfig,
}

impl TrustConfig {
    /// Compiles the levels.
    ///
    /// # Errors
    /// The first key that can name no caller or tool: a level that never applies would look like
    /// protection.
    pub fn compile(&self) -> Result<TrustPolicy, TrustConfigError> {
        for caller in self.callers.keys() {
            CallerId::parse(caller).map_err(|error| TrustConfigError {
                path: format!("tools.trust.callers.{caller}"),
                problem: error.to_string(),
            })?;
        }
        for tool in self.tools.keys() {
            ToolName::parse(tool).map_err(|error| TrustConfigError {
                path: format!("tools.trust.tools.{tool}"),
                problem: error.to_string(),
            })?;
        }
        Ok(TrustPolicy { config: self.clone() })
    }
}
