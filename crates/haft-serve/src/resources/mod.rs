//! MCP resources: the output stored for the client's session, and the record of that session's
//! calls. Nothing of other sessions is included.

mod output;
mod record;
mod session;

pub(crate) use session::of_toolbox;
