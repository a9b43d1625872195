//! An entry that haft adds to a file of a host, and the reasons why that may fail.

use serde_json::Value;

use super::{jsonc, toml, yaml};

/// The language of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// JSON, with or without comments and trailing commas.
    Jsonc,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
}

/// An entry that haft adds.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The keys that lead to it. The last one is its own name, or that of the list that contains
    /// it.
    pub path: Vec<String>,
    /// The value.
    pub value: Value,
    /// Whether the entry is an element of a list.
    pub is_element: bool,
}

impl Entry {
    /// A member of a table.
    pub fn member<const N: usize>(path: [&str; N], value: Value) -> Self {
        Self { path: path.map(str::to_owned).to_vec(), value, is_element: false }
    }

    /// An element of a list.
    pub fn element<const N: usize>(path: [&str; N], value: Value) -> Self {
        Self { path: path.map(str::to_owned).to_vec(), value, is_element: true }
    }

    /// The keys as text for people.
    pub fn name(&self) -> String {
        self.path.join(".")
    }

    /// Whether an existing value starts this program, by the name `haft` or `haft-…`: it is then an
    /// older form of the entry.
    pub(super) fn is_ours(&self, there: &Value) -> bool {
        let texts = texts(there);
        let is_haft = |text: &str| {
            let word = text.trim_matches('\'');
            let name = word.rsplit_once('/').map_or(word, |(_, name)| name);
            name == "haft" || name.starts_with("haft-")
        };
        if self.is_element {
            let hook = |text: &&str| text.split_once(" hook ").is_some_and(|(program, _)| is_haft(program));
            return texts.iter().any(hook);
        }
        let serves = texts.windows(2).any(|words| words == ["mcp", "serve"]) || texts.contains(&"acp");
        serves && texts.iter().any(|text| is_haft(text))
    }
}

/// All strings in a value, in order.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(members) => members.values().flat_map(texts).collect(),
        _ => vec![],
    }
}

/// Reason why a file is left unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The file is not valid in its language.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// The user has another entry with this name.
    #[error("`{0}` is there already and is not ours; rename or remove it first")]
    Taken(String),
    /// The file has a form that cannot be changed safely.
    #[error("`{0}` is written in a way that is not changed automatically")]
    Shape(String),
}

/// Adds the entries to the text. An older form of an entry is replaced, and an existing one stays
/// as it is.
///
/// # Errors
/// The text is not valid, or an entry cannot be added without changing something of the user's.
pub fn add(syntax: Syntax, text: &str, entries: &[Entry]) -> Result<String, Problem> {
    entries.iter().try_fold(text.to_owned(), |text, entry| match syntax {
        Syntax::Jsonc => jsonc::add(&text, entry),
        Syntax::Toml => toml::add(&text, entry),
        Syntax::Yaml => yaml::add(&text, entry),
    })
}

/// Removes the entries from the text, whatever their current form.
///
/// # Errors
/// The text is not valid, or an entry cannot be removed without changing something of the user's.
pub fn remove(syntax: Syntax, text: &str, entries: &[Entry]) -> Result<String, Problem> {
    entries.iter().try_fold(text.to_owned(), |text, entry| match syntax {
        Syntax::Jsonc => jsonc::remove(&text, entry),
        Syntax::Toml => toml::remove(&text, entry),
        Syntax::Yaml => yaml::remove(&text, entry),
    })
}
