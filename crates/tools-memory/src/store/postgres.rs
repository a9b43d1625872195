//! Memories in a PostgreSQL database, which several machines share.

use tools_store::{Server, ServerSchema};

use super::queries::store;

/// The schema; what was released is only added to.
const SCHEMA: ServerSchema =
    ServerSchema { name: "haft_memory", migrations: &[include_str!("../../migrations/postgres/0001_memories.sql")] };

/// Memories in a PostgreSQL database, which is connected to when it is first used.
#[derive(Debug)]
pub struct PostgresMemories(Server);

impl PostgresMemories {
    /// Those in the database at a `postgres://` address.
    ///
    /// # Errors
    /// When it is no such address.
    pub fn at(address: &str) -> Result<Self, MemoryError> {
        Ok(Self(Server::at(address, SCHEMA)?))
    }
}

store!(PostgresMemories, super::rows::postgres, super::postgres_words);
