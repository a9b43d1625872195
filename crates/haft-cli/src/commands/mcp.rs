//! `haft mcp serve`: the tools, to an MCP client.

use crate::{args::Common, commands::open::open, exit::Exit};

/// Serves over standard input and output until the client is gone.
pub(crate) async fn serve(common: &Common) -> Result<Exit, String> {
    let common = common.clone();
    haft::serve_mcp(move || open(&common)).await.map_err(|error| error.to_string())?;
    Ok(Exit::Ok)
}
