//! The section `[tools.memory]`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_core::{KeyFault, Redactor, Shared, SystemClock};

use crate::{Limits, Memories, MemoryStore, SqliteMemories};

/// Limits and ranking of memories.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryConfig {
    /// Whether the tools `memory_save` and `memory_search` exist.
    #[schemars(extend("x-applies" = "next_start", "x-overlay" = false))]
    pub enabled: bool,
    /// The file that stores memories; a relative path starts in `haft` in the user's state folder.
    #[schemars(extend("x-applies" = "next_start"))]
    pub path: PathBuf,
    /// The `postgres://` address of a server that stores memories for several machines; needs a
    /// build with the feature `postgres`. Empty: the file in `tools.memory.path`.
    #[schemars(extend("x-applies" = "next_start"))]
    pub database: String,
    /// Maximum number of memories of all projects together.
    pub max_entries: u64,
    /// Maximum size of the text of all memories together, in bytes.
    pub max_bytes: u64,
    /// Treatment of a memory that a session saves after it read text from outside (the web, MCP
    /// servers, files, output of commands): `mark` saves it and shows it as data from outside;
    /// `ask` asks a person first; `deny` refuses it.
    #[schemars(extend("x-overlay" = ["mark", "ask", "deny"]))]
    pub save_from_untrusted: FromUntrusted,
    /// Ranking of memories: `hybrid` by words, and by meaning too if there is a model in
    /// `embedding.model`; `lexical` by words alone.
    pub ranking: Ranking,
}

/// Treatment of memories of a session that read text from outside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FromUntrusted {
    /// They are saved and marked.
    #[default]
    Mark,
    /// A person is asked.
    Ask,
    /// They are refused.
    Deny,
}

/// Ranking of memories.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ranking {
    /// By words and by meaning.
    #[default]
    Hybrid,
    /// By words alone.
    Lexical,
}

impl Default for MemoryConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            path: PathBuf::from("memory/memory.db"),
            database: String::new(),
            max_entries: 5_000,
            max_bytes: 16 << 20,
            save_from_untrusted: FromUntrusted::default(),
            ranking: Ranking::default(),
        }
    }
}

/// The compiled section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryPolicy {
    /// Limits of the store.
    pub limits: Limits,
    /// Treatment of memories of a session that read text from outside.
    pub save_from_untrusted: FromUntrusted,
    /// Ranking of memories.
    pub ranking: Ranking,
}

impl MemoryConfig {
    /// Opens the memories of the section, below the user's `state` folder; `None` if they are
    /// disabled.
    ///
    /// # Errors
    /// An invalid value.
    pub fn open(&self, state: &Path, redactor: Arc<dyn Redactor>) -> Result<Option<Memories>, KeyFault> {
        if !self.enabled {
            return Ok(None);
        }
        let policy = Shared::new(self.compile()?);
        Ok(Some(Memories::new(self.store(state)?, policy, redactor, Arc::new(SystemClock))))
    }

    /// Compiles the section.
    ///
    /// # Errors
    /// A bound of 0, or no file.
    pub fn compile(&self) -> Result<MemoryPolicy, KeyFault> {
        let wrong = |key: &str, problem: &str| Err(KeyFault::new(key, problem));
        match self {
            Self { max_entries: 0, .. } => wrong("max_entries", "at least 1; `enabled = false` takes the tools away"),
            Self { max_bytes: 0, .. } => wrong("max_bytes", "at least 1; `enabled = false` takes the tools away"),
            Self { path, .. } if path.file_name().is_none() => wrong("path", "a file is expected"),
            _ => Ok(MemoryPolicy {
                limits: Limits { entries: self.max_entries, bytes: self.max_bytes },
                save_from_untrusted: self.save_from_untrusted,
                ranking: self.ranking,
            }),
        }
    }

    /// The store: the file, whose relative path starts in the folder `state`, or the database. It
    /// is opened at the first use.
    ///
    /// # Errors
    /// A database that this build does not support.
    pub fn store(&self, state: &Path) -> Result<Arc<dyn MemoryStore>, KeyFault> {
        if self.database.is_empty() {
            return Ok(Arc::new(SqliteMemories::at(state.join(&self.path))));
        }
        #[cfg(feature = "postgres")]
        return match crate::PostgresMemories::at(&self.database) {
            Ok(store) => Ok(Arc::new(store)),
            Err(_) => Err(KeyFault::new("database", tools_store::NO_ADDRESS)),
        };
        #[cfg(not(feature = "postgres"))]
        Err(KeyFault::new("database", tools_store::NO_SERVERS))
    }
}
