//! Failures of HTTP requests. They contain no text of a server's body.

use std::time::Duration;

use thiserror::Error;
use tools_egress::guard::Refusal;

use crate::McpError;

/// Why a request over HTTP failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum HttpFault {
    /// Connecting to the address is not allowed.
    #[error("its address is refused: {0}")]
    Refused(Refusal),
    /// There is no connection; the request was not sent.
    #[error("{0}")]
    Unreachable(String),
    /// The connection broke after the request was sent.
    #[error("{0}")]
    Broken(String),
    /// There is no token.
    #[error("{0}")]
    NoToken(String),
    /// A person has to log in.
    #[error("{0}")]
    Login(String),
    /// An error status.
    #[error("it answered with the HTTP status {status}")]
    Status { status: u16, wait: Option<Duration> },
    /// The server no longer knows the session; the request was not run.
    #[error("it knows the session no more")]
    SessionLost,
    /// The answer violates the protocol.
    #[error("{0}")]
    Protocol(String),
}

impl HttpFault {
    /// Converts to the failure of a server.
    pub(crate) fn of(self, server: &str) -> McpError {
        let (server, problem) = (server.to_owned(), self.to_string());
        match self {
            Self::Refused(_) => McpError::Address { server, problem },
            Self::Unreachable(_) => McpError::Unreachable { server, problem },
            Self::Broken(_) => McpError::Gone { server, problem: Some(problem) },
            Self::NoToken(_) => McpError::NoToken { server, problem },
            Self::Login(_) => McpError::LoginNeeded { server, problem },
            Self::Status { status, wait } => McpError::Status { server, status, wait },
            Self::SessionLost => McpError::SessionLost { server },
            Self::Protocol(_) => McpError::Protocol { server, problem },
        }
    }

    /// Whether the connection can no longer be used.
    pub(crate) fn ends_connection(&self) -> bool {
        matches!(self, Self::SessionLost | Self::Unreachable(_) | Self::Refused(_))
    }
}
