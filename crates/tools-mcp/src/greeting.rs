//! The server's part of the handshake: its identity, and instructions for the model.

use rmcp::model::{
    Implementation, JsonObject, PromptsCapability, ResourcesCapability, ServerCapabilities, ServerConfig,
};

/// The server's part of the handshake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Greeting {
    /// Name of the server.
    pub name: String,
    /// Version of the server.
    pub version: String,
    /// Instructions for the model. Clients put them into the prompt, so keep them short.
    pub instructions: String,
    /// Whether clients are told that there are resources. A server with resources sets it itself; a
    /// greeting sent before the server is built ([`crate::McpServer::serve_stdio_while_building`])
    /// must set it.
    pub resources: bool,
    /// Whether clients are told that there are prompts; as for resources.
    pub prompts: bool,
}

/// A greeting with the name of this crate and without instructions. A host that knows the tools
/// provides its own name, version and instructions.
impl Default for Greeting {
    fn default() -> Self {
        Self {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: "Failed calls answer with a `[tool_error]` block that says what to do next.".to_owned(),
            resources: false,
            prompts: false,
        }
    }
}

impl Greeting {
    pub(crate) fn info(&self) -> ServerConfig {
        let mut capabilities = capabilities();
        if self.resources {
            let mut resources = ResourcesCapability::default();
            resources.subscribe = Some(true);
            capabilities.resources = Some(resources);
            capabilities.completions = Some(JsonObject::new());
        }
        if self.prompts {
            capabilities.prompts = Some(PromptsCapability::default());
        }
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new(self.name.clone(), self.version.clone()))
            .with_instructions(self.instructions.clone())
    }
}

/// Capabilities of every server.
#[expect(deprecated, reason = "clients of the handshake versions have a log")]
fn capabilities() -> ServerCapabilities {
    ServerCapabilities::builder().enable_logging().enable_tools().enable_tool_list_changed().build()
}
