//! The one failure type of the chores: a child's exit code is kept to the end.

use std::{io, process::ExitStatus};

/// Why a chore did not succeed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The command line was not understood.
    #[error("{0}")]
    Usage(String),
    /// A check ran and found something; what it found is printed already.
    #[error("{0}")]
    Found(String),
    /// A child process ended with a code other than zero.
    #[error("`{line}` ended with {status}")]
    Child { line: String, status: ExitStatus },
    /// A file or a child process could not be used at all.
    #[error("{what}: {source}")]
    Io { what: String, source: io::Error },
    /// A tool's answer was not what its documentation says.
    #[error("{what} is not the expected JSON: {source}")]
    Json { what: String, source: serde_json::Error },
}

impl Failure {
    /// The exit code of the whole program: a child's own code where there was one.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Child { status, .. } => status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1).max(1),
            Self::Found(_) | Self::Io { .. } | Self::Json { .. } => 1,
        }
    }

    /// Names what was attempted when the operating system refused it.
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }
}
