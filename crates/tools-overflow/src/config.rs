//! The section `[tools.overflow]`.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many characters of an output a model is shown before the middle of it goes. The one such
/// number there is.
pub const THRESHOLD: usize = 50_000;

/// How many bytes of one output are stored.
pub const MAX_OVERFLOW_BYTES: u64 = 256 << 20;

/// What becomes of long output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OverflowConfig {
    /// Whether output that is shown in part is stored whole, for `read_overflow`. Without it the
    /// middle of long output is lost.
    #[schemars(extend("x-applies" = "next_start"))]
    pub enabled: bool,
    /// How many characters one answer may hold before the middle of an output is left out. A client
    /// that takes less (`mcp.answer_bytes`) gets less.
    pub threshold: usize,
    /// How many days stored output is kept.
    pub retention_days: u32,
    /// How many bytes of one output are stored, before they are compressed; of a longer one the
    /// middle is lost, and the answer says which lines. 0 sets no limit.
    pub max_overflow_bytes: u64,
    /// How many bytes of the store all output may take; the oldest goes first. 0 sets no limit.
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
