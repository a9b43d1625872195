//! The section `[tools.audit]`, and how it becomes a sink.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AuditError, JsonlSink};

/// What happens to a call that cannot be put on record.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// It is refused, or its result withheld.
    #[default]
    Block,
    /// It goes on; the fault is logged and named in the warnings.
    Warn,
}

/// The audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AuditConfig {
    /// Whether calls are put on record at all.
    pub enabled: bool,
    /// The file, one JSON object per line; a relative path starts at the state folder.
    pub path: PathBuf,
    /// `"block"` refuses calls that cannot be put on record, `"warn"` lets them run.
    pub on_error: OnError,
    /// The size in bytes from which a new file is begun and the old one kept under a numbered name; 0 never does.
    pub max_bytes: u64,
    /// Also waits until each line is on the disk: survives a power cut, costs milliseconds per call.
    pub durable: bool,
}

impl Default for AuditConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            path: PathBuf::from("audit.jsonl"),
            on_error: OnError::default(),
            max_bytes: 64 * 1024 * 1024,
            durable: false,
        }
    }
}

impl AuditConfig {
    /// Opens the log; a relative path starts at `base`.
    ///
    /// # Errors
    /// Whatever keeps the file from being written: better known at start than at the first call.
    pub fn compile(&self, base: &Path) -> Result<JsonlSink, AuditError> {
        Ok(JsonlSink::open(base.join(&self.path))?.rotating_at(self.max_bytes).durable(self.durable))
    }
}
