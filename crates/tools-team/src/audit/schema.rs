//! The tables of the record, and the connection to them.

use std::{sync::Arc, time::Duration};

use tools_audit::AuditError;
use tools_store::{Server, ServerSchema, StoreError};

/// The schema; released versions are only extended.
const SCHEMA: ServerSchema =
    ServerSchema { name: "haft_audit", migrations: &[include_str!("../../migrations/0001_audit.sql")] };

/// Time limit for getting a connection: a call waits for its line.
const ACQUIRE: Duration = Duration::from_secs(5);

/// The database at an address; does not connect yet.
pub(super) fn server(address: &str) -> Result<Server, StoreError> {
    Ok(Server::at(address, SCHEMA)?.waiting(ACQUIRE))
}

/// Converts a database error to one of the record.
pub(super) fn failed(error: impl std::error::Error + Send + Sync + 'static) -> AuditError {
    AuditError::Database(Arc::new(error))
}
