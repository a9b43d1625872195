//! The section `[tools.result_cache]`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Results of reading calls that are served again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CacheConfig {
    /// Whether the result of a call that only reads is reused while nothing it depends on has
    /// changed.
    pub enabled: bool,
    /// Maximum age in seconds of a result that is reused. 0: no limit.
    pub ttl_secs: u64,
    /// Maximum number of bytes of all results kept for reuse; the least recently used are dropped
    /// first.
    pub max_bytes: usize,
}

impl Default for CacheConfig {
    fn default() -> Self {
        Self { enabled: true, ttl_secs: 300, max_bytes: 32 << 20 }
    }
}
