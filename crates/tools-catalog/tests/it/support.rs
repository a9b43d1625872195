//! Made-up definitions.

use std::sync::Arc;

use serde_json::{Value, json};
use tools_core::{ToolDef, ToolKind, ToolName, ToolTraits};

pub(crate) fn tool(name: &str, schema: Value) -> Arc<ToolDef> {
    let schema = serde_json::from_value(schema).expect("a schema is an object or a boolean");
    let name = ToolName::parse(name).expect("a name of a tool");
    Arc::new(ToolDef::new(name, "Does it.", schema, ToolKind::Other, ToolTraits::CAUTIOUS))
}

/// A schema with most of what schemas hold.
pub(crate) fn rich() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1, "description": "Which file."},
            "limit": {"type": ["integer", "null"], "minimum": 0, "default": 5},
            "mode": {"oneOf": [
                {"const": "fast", "description": "At once."},
                {"const": "slow", "description": "Later."},
            ]},
            "level": {"enum": [1, 2, 3]},
            "what": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
            "edits": {"type": "array", "items": {
                "type": "object",
                "properties": {"old": {"type": "string"}, "all": {"type": "boolean"}},
                "required": ["old"],
                "additionalProperties": false,
            }},
        },
        "required": ["path", "edits"],
        "additionalProperties": false,
    })
}
