//! The failure type of all chores; it keeps the exit code of a child process.

use std::{io, process::ExitStatus};

/// Reason why a chore failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The command line is not valid.
    #[error("{0}")]
    Usage(String),
    /// A check found something, which was already printed.
    #[error("{0}")]
    Found(String),
    /// A child process ended with an exit code other than zero.
    #[error("`{line}` ended with {status}")]
    Child { line: String, status: ExitStatus },
    /// A file or a child process could not be used.
    #[error("{what}: {source}")]
    Io { what: String, source: io::Error },
    /// The output of a tool does not have the documented format.
    #[error("{what} is not the expected JSON: {source}")]
    Json { what: String, source: serde_json::Error },
}

impl Failure {
    /// The exit code of the program: the one of a child process if there was one.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Child { status, .. } => status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1).max(1),
            Self::Found(_) | Self::Io { .. } | Self::Json { .. } => 1,
        }
    }

    /// Converts an I/O error, with a description of the attempt.
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }
}
