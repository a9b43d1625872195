//! What is configured of the agent for editors.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The section `[acp]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AcpConfig {
    /// Seconds that a person may take to answer a question in the editor. Without an answer in
    /// time the call is refused.
    #[schemars(range(min = 1))]
    pub permission_timeout: u64,
}

impl Default for AcpConfig {
    fn default() -> Self {
        Self { permission_timeout: 300 }
    }
}

impl AcpConfig {
    /// The time limit of a question.
    pub fn patience(&self) -> Duration {
        Duration::from_secs(self.permission_timeout.max(1))
    }
}
