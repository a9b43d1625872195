//! Names of headers.

pub(crate) const SESSION: &str = "mcp-session-id";
/// The header that names the server which answered, or the one that a request should have gone to.
pub const SERVER_HEADER: &str = tools_core::ServerName::HEADER;
