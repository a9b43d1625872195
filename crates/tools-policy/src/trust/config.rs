//! The section `[tools.trust]`, and what it compiles to.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_core::{CallerId, KeyFault, ToolName, TrustLevel};

/// Trust in origins. Effective is the lowest level that has a say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TrustConfig {
    /// Highest trust level of any call: `trusted` (the rules alone decide), `provisional` (a person
    /// is asked about calls that do more than read the workspace) or `untrusted` (a person is asked
    /// about those that only read it, all others are refused).
    #[schemars(extend("x-overlay" = ["trusted", "provisional", "untrusted"]))]
    pub level: TrustLevel,
    /// Highest trust level of calls by caller. A caller `a/b` is also limited by the level of `a`.
    #[schemars(extend("x-overlay" = ["trusted", "provisional", "untrusted"]))]
    pub callers: BTreeMap<String, TrustLevel>,
    /// Highest trust level of calls by tool.
    #[schemars(extend("x-overlay" = ["trusted", "provisional", "untrusted"]))]
    pub tools: BTreeMap<String, TrustLevel>,
}

impl Default for TrustConfig {
    fn default() -> Self {
        Self { level: TrustLevel::Trusted, callers: BTreeMap::new(), tools: BTreeMap::new() }
    }
}

/// Compiled levels.
#[derive(Debug, Clone, Default)]
pub struct TrustPolicy {
    pub(super) config: TrustConfig,
}

impl TrustConfig {
    /// Compiles the levels.
    ///
    /// # Errors
    /// The first key that is not a valid caller or tool: a level that never applies would look like
    /// protection.
    pub fn compile(&self) -> Result<TrustPolicy, KeyFault> {
        for caller in self.callers.keys() {
            CallerId::parse(caller)
                .map_err(|error| KeyFault::new(format!("tools.trust.callers.{caller}"), error.to_string()))?;
        }
        for tool in self.tools.keys() {
            ToolName::parse(tool)
                .map_err(|error| KeyFault::new(format!("tools.trust.tools.{tool}"), error.to_string()))?;
        }
        Ok(TrustPolicy { config: self.clone() })
    }
}
