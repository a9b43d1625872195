//! The tables of the record, and how they are reached.

use std::{sync::Arc, time::Duration};

use tools_audit::AuditError;
use tools_store::{Server, ServerSchema, StoreError};

/// The schema; what was released is only added to.
const SCHEMA: ServerSchema =
    ServerSchema { name: "haft_audit", migrations: &[include_str!("../../migrations/0001_audit.sql")] };

/// How long a line waits for a connection: a call waits for its line.
const ACQUIRE: Duration = Duration::from_secs(5);

/// The database at an address; nothing is connected to.
pub(super) fn server(address: &str) -> Result<Server, StoreError> {
    Ok(Server::at(address, SCHEMA)?.waiting(ACQUIRE))
}

/// An error of the database as one of the record.
pub(super) fn failed(error: impl std::error::Error + Send + Sync + 'static) -> AuditError {
    AuditError::Database(Arc::new(error))
}
