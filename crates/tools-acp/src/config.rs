//! The section `[acp]`.

use std::{num::NonZeroU64, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Default time limit in seconds for a person's answer.
const PERMISSION_TIMEOUT: NonZeroU64 = NonZeroU64::new(300).expect("it is not zero");

/// The section `[acp]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AcpConfig {
    /// Seconds that a person may take to answer a question in the editor. Without an answer in
    /// time the call is refused.
    pub permission_timeout: NonZeroU64,
    /// Place where the output of a running command is shown: in a terminal of the editor if it has
    /// terminals (`auto`), or as text (`local`). The command itself runs in the sandbox either way.
    pub terminal: TerminalUse,
}

/// Use of the editor's terminals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TerminalUse {
    /// Output is shown in a terminal of the editor, or as text where it has none.
    #[default]
    Auto,
    /// Output is shown as text.
    Local,
}

impl Default for AcpConfig {
    fn default() -> Self {
        Self { permission_timeout: PERMISSION_TIMEOUT, terminal: TerminalUse::Auto }
    }
}

impl AcpConfig {
    /// The time limit of a question.
    pub fn patience(&self) -> Duration {
        Duration::from_secs(self.permission_timeout.get())
    }
}
