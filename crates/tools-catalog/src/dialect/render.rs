//! A list of tools as an interface takes it, with what it could not express.

use std::{collections::BTreeMap, fmt, str::FromStr, sync::Arc};

use serde_json::Value;
use tools_core::{ToolDef, ToolName, quoted};

use super::{Change, Note, names, schema::SchemaAdapter};
use crate::canonical_bytes;

/// An interface that takes tool definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Dialect {
    /// Anthropic's messages.
    Anthropic,
    /// OpenAI's chat completions.
    OpenAiChat,
    /// The same with parameters that are held to their schema while they are written.
    OpenAiChatStrict,
    /// OpenAI's responses.
    OpenAiResponses,
    /// The same with parameters that are held to their schema while they are written.
    OpenAiResponsesStrict,
    /// Google's Gemini.
    Gemini,
    /// Ollama.
    Ollama,
    /// A server of the Model Context Protocol.
    Mcp,
}

impl Dialect {
    /// Every interface, in the order of their names.
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

    /// Its permanent name.
    pub fn name(self) -> &'static str {
        self.table().name
    }

    /// The tools as it takes them, in their order, and what it could not express of each.
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

/// A tool whose parameters cannot be held to their schema is offered all the same.
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

/// A list of tools as an interface takes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    /// One value for each tool.
    pub tools: Vec<Value>,
    /// Parts that could not be expressed; empty when all was.
    pub report: Vec<Note>,
    names: BTreeMap<String, ToolName>,
}

impl Rendered {
    /// The tool that a call through this interface means; `None` for a name that was not given out.
    pub fn tool(&self, name: &str) -> Option<&ToolName> {
        self.names.get(name)
    }

    /// The list as text, the same on every run and every machine.
    pub fn bytes(&self) -> String {
        let tools: Vec<String> = self.tools.iter().map(canonical_bytes).collect();
        format!("[{}]", tools.join(","))
    }
}
