//! Memories in a PostgreSQL database, which several machines share.

use tools_store::{Server, ServerSchema};

use super::queries::store;

/// The schema; released versions are only extended.
const SCHEMA: ServerSchema =
    ServerSchema { name: "haft_memory", migrations: &[include_str!("../../migrations/postgres/0001_memories.sql")] };

/// Memories in a PostgreSQL database. It is connected at its first use.
#[derive(Debug)]
pub struct PostgresMemories(Server);

impl PostgresMemories {
    /// Memories in the database at a `postgres://` address.
    ///
    /// # Errors
    /// If the address is invalid.
    pub fn at(address: &str) -> Result<Self, MemoryError> {
        Ok(Self(Server::at(address, SCHEMA)?))
    }
}

store!(PostgresMemories, super::rows::postgres, super::postgres_words);
