//! All data of a tool as JSON, for programs.

use serde_json::{Value, json};
use tools_core::{InvocationHint, ToolDef, ToolOrigin};

/// All data of a tool.
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
