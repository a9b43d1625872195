//! The section `[tools.checkpoints]`.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_sandbox::kernel::Canonical;

/// The section `[tools.checkpoints]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CheckpointConfig {
    /// Whether what calls change is kept, so that `haft undo` can take it back.
    pub enabled: bool,
    /// Bytes that may be kept for one workspace. The oldest calls are forgotten first.
    pub max_bytes: u64,
    /// Number of calls that can be undone.
    pub keep: usize,
    /// Entries of a workspace that are looked at around a command. In a larger one commands cannot
    /// be taken back, which is said; what other tools change still can.
    pub max_entries: usize,
    /// Names of folders that programs fill and can fill again: what lies in them is not covered.
    /// Folders with a `CACHEDIR.TAG`, such as the `target` of cargo, never are.
    pub skip: Vec<String>,
    /// The folder they are kept in; relative to `haft` in the user's state folder.
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
