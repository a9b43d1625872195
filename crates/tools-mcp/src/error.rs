//! Errors that prevent serving a connection. Failures of tools are answers, not errors of the
//! server.

use thiserror::Error;

/// Reason why a connection could not be served.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The handshake failed.
    #[error("the MCP handshake failed: {0}")]
    Handshake(String),
    /// Signals or the standard streams cannot be used.
    #[error("the standard streams cannot be served: {0}")]
    Stdio(#[from] std::io::Error),
    /// The program has no runtime to serve with.
    #[error(transparent)]
    Runtime(#[from] tools_core::NoRuntime),
    /// The server could not be built; see `McpServer::serve_stdio_while_building`.
    #[error("the server could not be set up: {0}")]
    Setup(Box<dyn std::error::Error + Send + Sync>),
    /// The task that served the connection panicked.
    #[error("the connection broke: {0}")]
    Broken(String),
}
