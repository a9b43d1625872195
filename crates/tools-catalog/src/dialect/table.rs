//! The properties of each interface, one table for each. Facts about an interface are only here.

use serde_json::{Value, json};
use tools_core::ToolDef;

use super::Dialect;

/// The properties of an interface.
pub(super) struct Table {
    pub(super) name: &'static str,
    /// The schema keywords that it reads; `None` for all.
    pub(super) keywords: Option<&'static [&'static str]>,
    /// Its notation for a value of several types.
    pub(super) types: Types,
    /// Whether it reads `oneOf` and `const` beside `anyOf` and `enum`.
    pub(super) one_of: bool,
    pub(super) constants: bool,
    /// Whether values of an `enum` may be other than strings.
    pub(super) any_enum: bool,
    /// Whether the parameters as a whole may have several forms.
    pub(super) root_choices: bool,
    /// Whether every object is closed and every parameter required; optional parameters may be
    /// null.
    pub(super) strict: bool,
    pub(super) names: Names,
    /// Maximum length of a parameter name, which consists of letters, digits, `_`, `.` and `-`; 0
    /// for no restriction.
    pub(super) longest_parameter: usize,
    /// Builds one tool from its name in the interface and its schema.
    pub(super) shape: fn(&ToolDef, &str, Value) -> Value,
}

/// Notation for a value of several types.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Types {
    /// As in JSON Schema: `"type": ["integer", "null"]`.
    Lists,
    /// As in OpenAPI 3.0: one type in capitals, and `nullable`.
    Nullable,
}

/// Restrictions of tool names, in addition to those of every [`tools_core::ToolName`].
pub(super) struct Names {
    pub(super) begins_with_letter: bool,
}

const ANY_NAME: Names = Names { begins_with_letter: false };

/// Keywords that constrained decoding of the OpenAI interfaces reads.
const STRICT: &[&str] = &[
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "const",
    "description",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "items",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "multipleOf",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
];

/// The fields of `Schema` in Google's interface.
const GEMINI: &[&str] = &[
    "anyOf",
    "default",
    "description",
    "enum",
    "example",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "nullable",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
];

/// The fields that Ollama reads; it drops others.
const OLLAMA: &[&str] = &["$defs", "anyOf", "description", "enum", "items", "properties", "required", "type"];

const ANTHROPIC: Table = Table {
    name: "anthropic",
    keywords: None,
    types: Types::Lists,
    one_of: true,
    constants: true,
    any_enum: true,
    root_choices: false,
    strict: false,
    names: ANY_NAME,
    longest_parameter: 64,
    shape: |tool, name, schema| json!({"name": name, "description": tool.description, "input_schema": schema}),
};

const OPENAI_CHAT: Table = Table {
    name: "openai-chat",
    keywords: None,
    types: Types::Lists,
    one_of: true,
    constants: true,
    any_enum: true,
    root_choices: false,
    strict: false,
    names: ANY_NAME,
    longest_parameter: 0,
    shape: |tool, name, schema| json!({"type": "function", "function": {"name": name, "description": tool.description, "parameters": schema}}),
};

const OPENAI_RESPONSES: Table = Table {
    name: "openai-responses",
    // Strict is the default in this interface.
    shape: |tool, name, schema| {
        json!({
            "type": "function", "name": name, "description": tool.description, "parameters": schema, "strict": false,
        })
    },
    ..OPENAI_CHAT
};

const OPENAI_CHAT_STRICT: Table = Table {
    name: "openai-chat-strict",
    keywords: Some(STRICT),
    one_of: false,
    strict: true,
    shape: |tool, name, schema| {
        json!({
            "type": "function",
            "function": {"name": name, "description": tool.description, "parameters": schema, "strict": true},
        })
    },
    ..OPENAI_CHAT
};

const OPENAI_RESPONSES_STRICT: Table = Table {
    name: "openai-responses-strict",
    shape: |tool, name, schema| {
        json!({
            "type": "function", "name": name, "description": tool.description, "parameters": schema, "strict": true,
        })
    },
    ..OPENAI_CHAT_STRICT
};

const GEMINI_TABLE: Table = Table {
    name: "gemini",
    keywords: Some(GEMINI),
    types: Types::Nullable,
    one_of: false,
    constants: false,
    any_enum: false,
    root_choices: false,
    strict: false,
    names: Names { begins_with_letter: true },
    longest_parameter: 64,
    shape: |tool, name, schema| {
        // The interface refuses an object without properties, so a function without parameters
        // omits them.
        let is_empty = schema["properties"].as_object().is_none_or(serde_json::Map::is_empty);
        let mut value = json!({"name": name, "description": tool.description});
        if !is_empty {
            value["parameters"] = schema;
        }
        value
    },
};

const OLLAMA_TABLE: Table = Table {
    name: "ollama",
    keywords: Some(OLLAMA),
    one_of: false,
    constants: false,
    longest_parameter: 0,
    ..OPENAI_CHAT
};

const MCP: Table = Table {
    name: "mcp",
    keywords: None,
    types: Types::Lists,
    one_of: true,
    constants: true,
    any_enum: true,
    root_choices: true,
    strict: false,
    names: ANY_NAME,
    longest_parameter: 0,
    shape: |tool, name, schema| {
        let mut value = json!({
            "name": name,
            "description": tool.description,
            "inputSchema": schema,
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
    },
};

impl Dialect {
    pub(super) fn table(self) -> &'static Table {
        match self {
            Self::Anthropic => &ANTHROPIC,
            Self::OpenAiChat => &OPENAI_CHAT,
            Self::OpenAiChatStrict => &OPENAI_CHAT_STRICT,
            Self::OpenAiResponses => &OPENAI_RESPONSES,
            Self::OpenAiResponsesStrict => &OPENAI_RESPONSES_STRICT,
            Self::Gemini => &GEMINI_TABLE,
            Self::Ollama => &OLLAMA_TABLE,
            Self::Mcp => &MCP,
        }
    }
}
