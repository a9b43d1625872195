//! What is configured of the agent for editors.

use std::{num::NonZeroU64, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Seconds that a person usually has.
const PERMISSION_TIMEOUT: NonZeroU64 = NonZeroU64::new(300).expect("it is not zero");

/// The section `[acp]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AcpConfig {
    /// Seconds that a person may take to answer a question in the editor. Without an answer in
    /// time the call is refused.
    pub permission_timeout: NonZeroU64,
}

impl Default for AcpConfig {
    fn default() -> Self {
        Self { permission_timeout: PERMISSION_TIMEOUT }
    }
}

impl AcpConfig {
    /// The time limit of a question.
    pub fn patience(&self) -> Duration {
        Duration::from_secs(self.permission_timeout.get())
    }
}
