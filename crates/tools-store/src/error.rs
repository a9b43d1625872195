//! Errors of databases.

use std::error::Error;

use thiserror::Error;

/// Reason why a database cannot be used. Nothing was changed in it.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum StoreError {
    /// A newer version of the program made it.
    #[error("the database has schema {found}, and this version knows schemas up to {known}: use the newer version")]
    Newer { found: usize, known: usize },
    /// It belongs to another program.
    #[error("the file is a database of another program")]
    Foreign,
    /// It is no SQLite file, or a damaged one.
    #[error("the database is damaged: move it away, or put a backup in its place")]
    Damaged(#[source] sqlx::Error),
    /// The address is none of a server.
    #[error("a `postgres://` address is expected")]
    Address,
    /// Another process holds it for longer than is waited.
    #[error("the database is busy: another process is writing")]
    Busy(#[source] sqlx::Error),
    /// The file or its folder cannot be made, read or written.
    #[error("the database file cannot be opened: it or its folder is no file, is missing, or may not be written")]
    Unopened(#[source] Box<dyn Error + Send + Sync>),
    /// It is used outside of a tokio runtime, or in one without timers.
    #[error("a database needs a tokio runtime with timers: build it with `enable_all`")]
    Runtime,
    /// Anything else that the system or SQLite says.
    #[error("the database cannot be used")]
    Failed(#[source] Box<dyn Error + Send + Sync>),
}

impl StoreError {
    /// Whether the same use may succeed later.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Busy(_))
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
        // PostgreSQL: `lock_not_available`, a deadlock, a serialization failure, too many
        // connections, and a server that starts or stops. Its codes have five characters, those of
        // SQLite fewer.
        if matches!(code.as_deref(), Some("55P03" | "40P01" | "40001" | "53300" | "57P01" | "57P03")) {
            return Self::Busy(error);
        }
        let code = code.filter(|code| code.len() < 5).and_then(|code| code.parse::<u32>().ok());
        // The low byte of an extended code is the code.
        match code.map(|code| code & 0xff) {
            // SQLITE_BUSY, SQLITE_LOCKED
            Some(5 | 6) => Self::Busy(error),
            // SQLITE_CORRUPT, SQLITE_NOTADB
            Some(11 | 26) => Self::Damaged(error),
            // SQLITE_PERM, SQLITE_READONLY, SQLITE_CANTOPEN
            Some(3 | 8 | 14) => Self::Unopened(error.into()),
            _ if matches!(error, sqlx::Error::PoolTimedOut) => Self::Busy(error),
            _ => Self::Failed(error.into()),
        }
    }
}
