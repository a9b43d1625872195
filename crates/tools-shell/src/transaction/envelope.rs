//! What the envelope of a command says about having been taken back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was put back after a command failed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct RollbackReport {
    /// Files that are as they were before it.
    pub restored: u64,
    /// What it had made and what is gone again.
    pub deleted: u64,
    /// What could not be put back, relative to the folder it lies in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
    /// Where the originals are, when something could not be put back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backup: Option<String>,
}
