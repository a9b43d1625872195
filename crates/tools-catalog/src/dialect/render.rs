//! A list of tools in the form of an interface, with the parts it cannot express.

use std::{collections::BTreeMap, fmt, str::FromStr, sync::Arc};

use serde_json::Value;
use tools_core::{ToolDef, ToolName, quoted};

use super::{Change, Note, names, schema::SchemaAdapter};
use crate::canonical_bytes;

/// An interface that takes tool definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Dialect {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions.
    OpenAiChat,
    /// OpenAI Chat Completions with parameters that are forced to match their schema.
    OpenAiChatStrict,
    /// OpenAI Responses.
    OpenAiResponses,
    /// OpenAI Responses with parameters that are forced to match their schema.
    OpenAiResponsesStrict,
    /// Google Gemini.
    Gemini,
    /// Ollama.
    Ollama,
    /// A server of the Model Context Protocol.
    Mcp,
}

impl Dialect {
    /// All interfaces, ordered by name.
    pub const ALL: [Self; 8] = [
        Self::Anthropic,
        Self::Gemini,
        Self::Mcp,
        Self::Ollama,
        Self::OpenAiChat,
        Self::OpenAiChatStrict,
        Self::OpenAiResponses,
        Self::OpenAiResponsesStrict,
    ];

    /// The permanent name of the interface.
    pub fn name(self) -> &'static str {
        self.table().name
    }

    /// Converts the tools, in their order, and reports the parts that cannot be expressed.
    pub fn render(self, tools: &[Arc<ToolDef>]) -> Rendered {
        let table = self.table();
        let all: Vec<ToolName> = tools.iter().map(|tool| tool.name.clone()).collect();
        let names = names::mapped(&all, &table.names);
        let there: BTreeMap<&ToolName, &String> = names.iter().map(|(there, name)| (name, there)).collect();
        let mut report = Vec::new();
        let mut list = Vec::with_capacity(tools.len());
        for tool in tools {
            let name = there.get(&tool.name).map_or(tool.name.as_str(), |there| there.as_str());
            if name != tool.name.as_str() {
                let change = Change::Renamed { to: name.to_owned() };
                report.push(Note { tool: tool.name.clone(), path: String::new(), change });
            }
            let (schema, changes, is_strict) = SchemaAdapter::parameters(table, tool.input.as_value());
            let note = |(path, change)| Note { tool: tool.name.clone(), path, change };
            report.extend(changes.into_iter().map(note));
            let mut value = (table.shape)(tool, name, schema);
            if table.strict && !is_strict {
                not_strict(&mut value);
            }
            list.push(value);
        }
        Rendered { tools: list, report, names }
    }
}

/// Offers a tool without strict mode if its parameters do not support it.
fn not_strict(value: &mut Value) {
    if let Some(function) = value.get_mut("function") {
        return not_strict(function);
    }
    value["strict"] = Value::Bool(false);
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Dialect {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|dialect| dialect.name() == name);
        found.ok_or_else(|| format!("`{name}` is not an interface; there are {}", quoted(Self::ALL)))
    }
}

/// A list of tools in the form of an interface.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    /// One value for each tool.
    pub tools: Vec<Value>,
    /// Parts that could not be expressed; empty when there are none.
    pub report: Vec<Note>,
    names: BTreeMap<String, ToolName>,
}

impl Rendered {
    /// The tool for a name in a call through this interface; `None` for an unknown name.
    pub fn tool(&self, name: &str) -> Option<&ToolName> {
        self.names.get(name)
    }

    /// The list as text that is identical on every run and machine.
    pub fn bytes(&self) -> String {
        let tools: Vec<String> = self.tools.iter().map(canonical_bytes).collect();
        format!("[{}]", tools.join(","))
    }
}
