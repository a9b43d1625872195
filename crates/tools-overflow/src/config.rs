//! The section `[tools.overflow]`.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum number of characters of an output before its middle is left out. The one such number
/// there is.
pub const THRESHOLD: usize = 50_000;

/// Maximum number of stored bytes of one output.
pub const MAX_OVERFLOW_BYTES: u64 = 256 << 20;

/// Treatment of long output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OverflowConfig {
    /// Whether output that is shown in part is stored whole, for `read_overflow`. Without it the
    /// middle of long output is lost.
    #[schemars(extend("x-applies" = "next_start"))]
    pub enabled: bool,
    /// Maximum number of characters of one answer before the middle of an output is left out. A
    /// client that takes less (`mcp.answer_bytes`) gets less.
    pub threshold: usize,
    /// Days for which stored output is kept.
    pub retention_days: u32,
    /// Maximum number of stored bytes of one output, before compression; of a longer one the middle
    /// is lost, and the answer says which lines. 0 sets no limit.
    pub max_overflow_bytes: u64,
    /// Maximum number of bytes of all stored output; the oldest goes first. 0 sets no limit.
    pub max_total_bytes: u64,
    /// The SQLite file; a relative path starts at the state folder.
    #[schemars(extend("x-applies" = "next_start"))]
    pub path: PathBuf,
    /// The `postgres://` address of a server that many machines share, instead of the file; needs a
    /// program built with the feature `postgres`. Empty: the file.
    #[schemars(extend("x-applies" = "next_start"))]
    pub database: String,
}

impl Default for OverflowConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            threshold: THRESHOLD,
            retention_days: 7,
            max_overflow_bytes: MAX_OVERFLOW_BYTES,
            max_total_bytes: 1 << 30,
            path: PathBuf::from("overflow/overflow.db"),
            database: String::new(),
        }
    }
}
