//! Errors of audit logs.

use std::{io, path::PathBuf, sync::Arc};

use thiserror::Error;
use tools_core::{ToolError, ToolErrorCategory};

/// Reason why a log cannot be opened, written or read.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum AuditError {
    /// It could not be opened.
    #[error("cannot open the audit file `{}`: {source}", path.display())]
    Open { path: PathBuf, source: io::Error },
    /// It is a symbolic link, which someone else could redirect.
    #[error("the audit path `{}` is a symbolic link", .0.display())]
    Symlink(PathBuf),
    /// It is a folder, a pipe, a device or a socket.
    #[error("the audit path `{}` is not a regular file", .0.display())]
    NotAFile(PathBuf),
    /// It has content without any line of an audit log.
    #[error("the file `{}` exists and is not an audit log", .0.display())]
    NotAnAuditLog(PathBuf),
    /// Another process holds its lock for too long.
    #[error("another process keeps the audit file `{}` locked", .0.display())]
    Locked(PathBuf),
    /// It could not be read.
    #[error("cannot read the audit file `{}`: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// A line could not be written completely.
    #[error("cannot write to the audit file `{}`: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    /// The database for the lines cannot be used.
    #[error("the audit database cannot be used: {0}")]
    Database(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// The chain of this process in the database differs from the one that it wrote.
    #[error("the chain `{0}` in the audit database is not the one that this process wrote")]
    Changed(String),
    /// An export was requested that this build does not support.
    #[error("this build has no OpenTelemetry export; it needs the feature `otel`")]
    NoExport,
    /// An entry could not be turned into text.
    #[error("cannot encode an audit line: {0}")]
    Encode(#[from] serde_json::Error),
}

const SUGGESTION: &str = "Tell the user that the audit log cannot be written; nothing else will run until it can.";

impl AuditError {
    /// The error for a call that was already passed on: it may have run.
    pub(crate) fn withheld(self) -> ToolError {
        let problem = "the call may have run, but it cannot be put on record: its result is withheld";
        ToolError::new(ToolErrorCategory::PermanentFailure, "audit_failed", problem)
            .with_suggestion(SUGGESTION)
            .with_source(self)
    }
}

impl From<AuditError> for ToolError {
    fn from(error: AuditError) -> Self {
        Self::new(
            ToolErrorCategory::PermanentFailure,
            "audit_failed",
            "the call cannot be put on record, and calls that are not on record are not allowed",
        )
        .with_suggestion(SUGGESTION)
        .with_source(error)
    }
}
