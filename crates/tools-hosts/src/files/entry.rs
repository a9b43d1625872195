//! One entry of ours in a host's file, and what can stand in its way.

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

/// An entry of ours.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The keys that lead to it; the last is its own name, or that of the list that it is an
    /// element of.
    pub path: Vec<String>,
    /// The value.
    pub value: Value,
    /// Whether it is an element of a list.
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

    /// The keys as a person reads them.
    pub fn name(&self) -> String {
        self.path.join(".")
    }

    /// Whether something that stands there starts this program, `haft` or `haft-…` by its name:
    /// then it is an older form of the entry.
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

/// Every text in a value, in order.
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
    /// It cannot be read as what it should be.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// Something of the user's has the name already.
    #[error("`{0}` is there already and is not ours; rename or remove it first")]
    Taken(String),
    /// It is written in a way that cannot be changed safely.
    #[error("`{0}` is written in a way that is not changed automatically")]
    Shape(String),
}

/// The text with the entries in it; an older form of one is replaced, and one that is there already
/// stays as it is.
///
/// # Errors
/// When the text cannot be read, or an entry cannot be put in without touching something of the
/// user's.
pub fn add(syntax: Syntax, text: &str, entries: &[Entry]) -> Result<String, Problem> {
    entries.iter().try_fold(text.to_owned(), |text, entry| match syntax {
        Syntax::Jsonc => jsonc::add(&text, entry),
        Syntax::Toml => toml::add(&text, entry),
        Syntax::Yaml => yaml::add(&text, entry),
    })
}

/// The text without the entries, whatever form they have by now.
///
/// # Errors
/// When the text cannot be read, or an entry cannot be taken out without touching something of the
/// user's.
pub fn remove(syntax: Syntax, text: &str, entries: &[Entry]) -> Result<String, Problem> {
    entries.iter().try_fold(text.to_owned(), |text, entry| match syntax {
        Syntax::Jsonc => jsonc::remove(&text, entry),
        Syntax::Toml => toml::remove(&text, entry),
        Syntax::Yaml => yaml::remove(&text, entry),
    })
}
