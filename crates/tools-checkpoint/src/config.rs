//! The section `[tools.checkpoints]`.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_sandbox::kernel::Canonical;

/// The section `[tools.checkpoints]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CheckpointConfig {
    /// Whether changes by calls are stored, so that `haft undo` can revert them.
    pub enabled: bool,
    /// Maximum number of bytes stored for `haft undo` per workspace. The oldest calls are dropped
    /// first.
    pub max_bytes: u64,
    /// Maximum number of calls that can be reverted with `haft undo`.
    pub keep: usize,
    /// Maximum number of entries of a workspace that are compared before and after a command. In a
    /// larger workspace `haft undo` cannot revert commands, and the result says so; changes by
    /// other tools can still be reverted.
    pub max_entries: usize,
    /// Names of folders that programs can fill again: `haft undo` does not restore their content.
    /// The same holds for folders with a `CACHEDIR.TAG`, such as cargo's `target`.
    pub skip: Vec<String>,
    /// The folder of the data for `haft undo`; a relative path starts in `haft` in the user's state
    /// folder.
    pub path: PathBuf,
}

impl CheckpointConfig {
    /// The folder of the stores, below the user's `state` folder, under its canonical name.
    pub fn folder(&self, state: &Path, canonical: &mut Canonical) -> PathBuf {
        canonical.by_words(&state.join(&self.path))
    }
}

impl Default for CheckpointConfig {
    fn default() -> Self {
        let skip = ["node_modules", "__pycache__", ".venv", ".tox", ".gradle"];
        Self {
            enabled: true,
            max_bytes: 256 * 1024 * 1024,
            keep: 50,
            max_entries: 100_000,
            skip: skip.map(str::to_owned).to_vec(),
            path: PathBuf::from("checkpoints"),
        }
    }
}
