//! Any bytes after the greeting of an MCP client: every message gets an answer or an error, and the
//! server runs until the client disconnects.

use std::sync::{Arc, LazyLock};

use tokio::runtime::{Builder, Runtime};
use tools_core::{CallContext, Stack, ToolTraits};
use tools_mcp::McpServer;
use tools_testkit::{Behaviour, ScriptedExecutor};

use crate::messages::served;

const GREETING: &[u8] = concat!(
    r#"{"jsonrpc":"2.0","id":"greeting","method":"initialize","params":{"protocolVersion":"2025-06-18","#,
    r#""capabilities":{"roots":{},"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n"
)
.as_bytes();

static SERVER: LazyLock<(McpServer, Runtime)> = LazyLock::new(|| {
    let tools = ScriptedExecutor::new().tool("read", ToolTraits::READ_ONLY, Behaviour::reply("text")).tool(
        "bash",
        ToolTraits::CAUTIOUS,
        Behaviour::reply("text"),
    );
    let stack = Arc::new(Stack::new(vec![], tools));
    let server = McpServer::builder(stack).context(CallContext::new("/nonexistent/w")).build();
    (server, Builder::new_current_thread().enable_all().build().expect("a runtime"))
});

pub(crate) fn check(bytes: &[u8]) {
    let (server, runtime) = &*SERVER;
    // Also without the greeting: the bytes are then the first message.
    for greeting in [GREETING, b""] {
        let server = server.clone();
        served(runtime, greeting, bytes, async move |input, output| {
            // After an invalid greeting the server closes the connection.
            let _ = server.serve(input, output).await;
        });
    }
}
