//! The section `[tools.overflow]`.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_core::KeyFault;

use crate::{Archive, OverflowStore};

/// Maximum number of characters of an output before its middle is left out. The one such number
/// there is.
pub const THRESHOLD: usize = 50_000;

/// Maximum number of stored bytes of one output.
pub const MAX_OVERFLOW_BYTES: u64 = 256 << 20;

/// Most bytes that a process keeps of output, compressed, where it keeps it in memory.
const MAX_IN_MEMORY: u64 = 128 << 20;

/// Treatment of long output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OverflowConfig {
    /// Whether output that is shown in part is stored whole, for `read_overflow`. If false, the
    /// middle of long output is lost.
    #[schemars(extend("x-applies" = "next_start"))]
    pub enabled: bool,
    /// Maximum number of characters of an output that are shown; the middle of a longer one is left
    /// out. A client with a lower limit (`mcp.answer_bytes`) gets less.
    pub threshold: usize,
    /// Number of days for which stored output is kept. 0: without end.
    pub retention_days: u32,
    /// Maximum number of bytes stored of one output, before compression. The middle of a longer
    /// output is lost, and the answer names the missing lines. 0: no limit.
    pub max_overflow_bytes: u64,
    /// Maximum number of bytes of all stored output; the oldest is removed first. 0: no limit.
    pub max_total_bytes: u64,
    /// The SQLite file of stored output; a relative path starts in `haft` in the user's state
    /// folder.
    #[schemars(extend("x-applies" = "next_start"))]
    pub path: PathBuf,
    /// The `postgres://` address of a server that stores output for several machines; needs a build
    /// with the feature `postgres`. Empty: the file in `tools.overflow.path`.
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

impl OverflowConfig {
    /// The store, opened when it is first used; `None` when it is off. Without the feature `sqlite`
    /// it is in memory instead of a file, whose relative path starts in the folder `state`.
    ///
    /// # Errors
    /// A database that this build cannot use.
    pub fn archive(&self, state: &Path) -> Result<Option<Archive>, KeyFault> {
        if !self.enabled {
            return Ok(None);
        }
        #[cfg(feature = "sqlite")]
        let local = crate::SqliteStore::at(state.join(&self.path));
        #[cfg(not(feature = "sqlite"))]
        let (local, _) = (crate::InMemoryStore::default(), state);
        let store = if self.database.is_empty() { Arc::new(local) } else { self.shared()? };
        Ok(Some(Archive::new(store, &self.held())))
    }

    #[cfg(feature = "postgres")]
    fn shared(&self) -> Result<Arc<dyn OverflowStore>, KeyFault> {
        match crate::PostgresStore::at(&self.database) {
            Ok(store) => Ok(Arc::new(store)),
            Err(_) => Err(KeyFault::new("database", tools_store::NO_ADDRESS)),
        }
    }

    #[cfg(not(feature = "postgres"))]
    #[expect(clippy::unused_self, reason = "the same question as with servers")]
    fn shared(&self) -> Result<Arc<dyn OverflowStore>, KeyFault> {
        Err(KeyFault::new("database", "this build has no PostgreSQL; enable the feature `postgres`"))
    }

    /// The limits of the store: less is kept in memory than in a file.
    pub fn held(&self) -> Self {
        let in_memory = cfg!(not(feature = "sqlite")) && self.database.is_empty();
        match self.max_total_bytes {
            0 if in_memory => Self { max_total_bytes: MAX_IN_MEMORY, ..self.clone() },
            most if in_memory => Self { max_total_bytes: most.min(MAX_IN_MEMORY), ..self.clone() },
            _ => self.clone(),
        }
    }
}
