//! Names of headers.

pub(crate) const SESSION: &str = "mcp-session-id";
/// Header with the name of the server that answered, or of the one that a request is intended for.
pub const SERVER_HEADER: &str = tools_core::ServerName::HEADER;
