//! What the envelope of a command says about having been taken back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Files that were restored after a command failed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct RollbackReport {
    /// Files that are as they were before it.
    pub restored: u64,
    /// Number of its new files that were removed again.
    pub deleted: u64,
    /// Paths that could not be restored, relative to their folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
    /// Folder of the originals, when something could not be restored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backup: Option<String>,
}
