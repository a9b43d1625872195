//! The section `[tools.result_cache]`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Results of reading calls that are served again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CacheConfig {
    /// Whether the result of a call that only reads is served again while nothing it depends on has
    /// changed.
    pub enabled: bool,
    /// Maximum age of a result, in seconds; 0 sets no limit.
    pub ttl_secs: u64,
    /// Maximum size of all stored results; the least recently used go first.
    pub max_bytes: usize,
}

impl Default for CacheConfig {
    fn default() -> Self {
        Self { enabled: true, ttl_secs: 300, max_bytes: 32 << 20 }
    }
}
