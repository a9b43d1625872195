//! One tool as JSON, in the shape each provider takes.

use serde_json::{Value, json};
use tools_core::{InvocationHint, ToolDef, ToolOrigin};

/// As the Anthropic API takes it.
pub fn anthropic(tool: &ToolDef) -> Value {
    json!({"name": tool.name, "description": tool.description, "input_schema": tool.input.as_value()})
}

/// As the OpenAI API takes it.
pub fn openai(tool: &ToolDef) -> Value {
    json!({
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.input.as_value()},
    })
}

/// As an MCP server lists it.
pub fn mcp(tool: &ToolDef) -> Value {
    let mut value = json!({
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input.as_value(),
        "annotations": {
            "readOnlyHint": tool.traits.read_only,
            "destructiveHint": tool.traits.destructive,
            "idempotentHint": tool.traits.idempotent,
            "openWorldHint": tool.traits.open_world,
        },
    });
    if let Some(title) = &tool.title {
        value["title"] = Value::from(title.as_ref());
    }
    value
}

/// Everything known of it.
pub fn json(tool: &ToolDef) -> Value {
    json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "input": tool.input.as_value(),
        "output": tool.output.as_ref().map(|schema| schema.as_value()),
        "kind": tool.kind,
        "traits": tool.traits,
        "origin": match &tool.origin {
            ToolOrigin::Builtin => json!("builtin"),
            ToolOrigin::Host => json!("host"),
            ToolOrigin::Skill => json!("skill"),
            ToolOrigin::Mcp { server, trusted } => json!({"mcp": server, "trusted": trusted}),
            _ => Value::Null,
        },
        "invocation": match &tool.invocation {
            InvocationHint::FencedBlock(tag) => json!({"fenced_block": tag}),
            InvocationHint::ToolCall => json!("tool_call"),
        },
    })
}
