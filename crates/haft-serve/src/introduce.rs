//! Asks the MCP servers behind this one for their tools.

use haft::Toolbox;

/// Asks the MCP servers behind this one for their tools if these are unknown.
#[cfg_attr(
    not(feature = "mcp-client"),
    expect(clippy::unused_async, reason = "servers are waited for where there are any")
)]
pub(crate) async fn introduce(toolbox: &Toolbox) {
    #[cfg(feature = "mcp-client")]
    for (server, error) in toolbox.introduce_servers().await.failed {
        tracing::warn!(server, %error, "the tools of an MCP server are not offered");
    }
    #[cfg(not(feature = "mcp-client"))]
    let _ = toolbox;
}
