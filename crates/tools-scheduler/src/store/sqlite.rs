//! Tasks in one SQLite file, which several processes may serve.

use std::path::PathBuf;

use tools_store::{Database, Schema};

use super::queries::store;

/// The schema; released versions are only extended.
const SCHEMA: Schema = Schema {
    application: 0x6861_6673,
    migrations: &[
        include_str!("../../migrations/sqlite/0001_tasks.sql"),
        include_str!("../../migrations/sqlite/0002_policy.sql"),
    ],
};

/// Tasks in a SQLite file, which is opened at its first use.
#[derive(Debug)]
pub struct SqliteTasks(Database);

impl SqliteTasks {
    /// Tasks in the file at `path`.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(Database::at(path, SCHEMA))
    }

    /// Tasks in memory, for tests.
    pub fn in_memory() -> Self {
        Self(Database::in_memory(SCHEMA))
    }
}

store!(SqliteTasks, sqlx::Sqlite);
