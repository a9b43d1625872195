//! What an MCP client can list and read beside the tools: the output that was stored for its
//! session, and the record of its session's calls. Nothing of another session is here.

mod output;
mod record;
mod session;

pub(crate) use session::of_toolbox;
