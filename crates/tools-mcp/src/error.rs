//! Why a connection could not be served. Failures of tools are answers, not errors of the server.

use thiserror::Error;

/// Why a connection could not be served.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum McpError {
    /// The client and the server did not come to an understanding.
    #[error("the MCP handshake failed: {0}")]
    Handshake(String),
    /// The machine did not let the server wait for signals or use its standard streams.
    #[error("the standard streams cannot be served: {0}")]
    Stdio(#[from] std::io::Error),
    /// What a client would have worked with could not be made; see `McpServer::serve_stdio_while_building`.
    #[error("the server could not be set up: {0}")]
    Setup(Box<dyn std::error::Error + Send + Sync>),
    /// The task that served the connection broke.
    #[error("the connection broke: {0}")]
    Broken(String),
}
