//! Memories in one SQLite file.

use std::path::PathBuf;

use tools_store::{Database, Schema};

use super::queries::store;

/// The schema; released versions are only extended.
const SCHEMA: Schema =
    Schema { application: 0x6861_666d, migrations: &[include_str!("../../migrations/sqlite/0001_memories.sql")] };

/// Memories in a SQLite file, which is opened at its first use. Several processes may use it at the
/// same time.
#[derive(Debug)]
pub struct SqliteMemories(Database);

impl SqliteMemories {
    /// Memories in the file at `path`.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(Database::at(path, SCHEMA))
    }

    /// Memories in memory only, for tests and for hosts that store nothing on disk.
    pub fn in_memory() -> Self {
        Self(Database::in_memory(SCHEMA))
    }
}

store!(SqliteMemories, super::rows::sqlite, super::sqlite_words);
