//! Tasks in a PostgreSQL database, which several machines may serve.

use tools_store::{Server, ServerSchema};

use super::queries::store;

/// The schema; what was released is only added to.
const SCHEMA: ServerSchema =
    ServerSchema { name: "haft_scheduler", migrations: &[include_str!("../../migrations/postgres/0001_tasks.sql")] };

/// Tasks in a PostgreSQL database, which is connected to when it is first used.
#[derive(Debug)]
pub struct PostgresTasks(Server);

impl PostgresTasks {
    /// Those in the database at a `postgres://` address.
    ///
    /// # Errors
    /// When it is no such address.
    pub fn at(address: &str) -> Result<Self, ScheduleError> {
        Ok(Self(Server::at(address, SCHEMA)?))
    }
}

store!(PostgresTasks, sqlx::Postgres);
