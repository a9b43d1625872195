//! Tasks in a PostgreSQL database, which several machines may serve.

use tools_store::{Server, ServerSchema};

use super::queries::store;

/// The schema; released versions are only extended.
const SCHEMA: ServerSchema =
    ServerSchema { name: "haft_scheduler", migrations: &[include_str!("../../migrations/postgres/0001_tasks.sql")] };

/// Tasks in a PostgreSQL database. It is connected at its first use.
#[derive(Debug)]
pub struct PostgresTasks(Server);

impl PostgresTasks {
    /// Tasks in the database at a `postgres://` address.
    ///
    /// # Errors
    /// If the address is invalid.
    pub fn at(address: &str) -> Result<Self, ScheduleError> {
        Ok(Self(Server::at(address, SCHEMA)?))
    }
}

store!(PostgresTasks, sqlx::Postgres);
