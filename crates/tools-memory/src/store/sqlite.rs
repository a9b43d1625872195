//! Memories in one SQLite file.

use std::path::PathBuf;

use tools_store::{Database, Schema};

use super::queries::store;

/// The schema; what was released is only added to.
const SCHEMA: Schema =
    Schema { application: 0x6861_666d, migrations: &[include_str!("../../migrations/sqlite/0001_memories.sql")] };

/// Memories in a SQLite file, which is opened when it is first used. Several processes may use it
/// at once.
#[derive(Debug)]
pub struct SqliteMemories(Database);

impl SqliteMemories {
    /// Those in the file at `path`.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(Database::at(path, SCHEMA))
    }

    /// Memories that end with this value: for tests, and for hosts that want nothing on the disk.
    pub fn in_memory() -> Self {
        Self(Database::in_memory(SCHEMA))
    }
}

store!(SqliteMemories, super::rows::sqlite, super::sqlite_words);
