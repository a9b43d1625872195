//! The yardstick of the benchmark: rmcp alone, with three tools and nothing around them.
//!
//! `cargo run --release -p tools-mcp --example bare`, then speak MCP to its standard streams.

use std::{borrow::Cow, sync::Arc};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::stdio_pipes;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::{Value, json};

struct Bare {
    tools: Vec<Tool>,
}

fn tool(name: &'static str, description: &'static str, properties: Value) -> Tool {
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties);
    Tool::new(name, description, Arc::new(schema))
}

fn argument<'a>(request: &'a CallToolRequestParams, name: &str) -> Result<&'a Value, ErrorData> {
    let value = request.arguments.as_ref().and_then(|arguments| arguments.get(name));
    value.ok_or_else(|| ErrorData::invalid_params(format!("`{name}` is missing"), None))
}

impl ServerHandler for Bare {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text: Cow<'_, str> = match request.name.as_ref() {
            "read" => {
                let path = argument(&request, "path")?.as_str().unwrap_or_default().to_owned();
                match tokio::fs::read_to_string(path).await {
                    Ok(text) => text.into(),
                    Err(error) => return Ok(CallToolResult::error(vec![ContentBlock::text(error.to_string())]).into()),
                }
            }
            "echo" => argument(&request, "text")?.as_str().unwrap_or_default().into(),
            "add" => {
                let number = |name| argument(&request, name).map(|value| value.as_f64().unwrap_or_default());
                (number("a")? + number("b")?).to_string().into()
            }
            _ => return Err(ErrorData::invalid_params("there is no such tool", None)),
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tools = vec![
        tool("read", "Reads a small file.", json!({"path": {"type": "string"}})),
        tool("echo", "Gives back its text.", json!({"text": {"type": "string"}})),
        tool("add", "Adds two numbers.", json!({"a": {"type": "number"}, "b": {"type": "number"}})),
    ];
    Bare { tools }.serve(stdio_pipes()).await?.waiting().await?;
    Ok(())
}
