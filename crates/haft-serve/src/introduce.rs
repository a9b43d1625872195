//! MCP servers behind the one that serves.

use haft::Toolbox;

/// Has MCP servers behind this one asked for their tools where nothing is known of them.
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
