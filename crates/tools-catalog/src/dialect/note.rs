//! What an interface could not express of a definition.

use std::fmt;

use serde::Serialize;
use tools_core::ToolName;

/// One thing that an interface takes in another form than the definition has it, or not at all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    /// The tool.
    pub tool: ToolName,
    /// Place in its parameters: `edits[].old`; empty for the definition itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// What.
    #[serde(flatten)]
    pub change: Change,
}

/// Change of a definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "change", rename_all = "snake_case")]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum Change {
    /// A keyword of the schema was left out: the model is not told of it, a call is still held to
    /// it.
    Dropped { keyword: String },
    /// A part of the schema is said with other words that mean nearly the same.
    Replaced { from: String, to: String },
    /// A type takes less than the definition does.
    Narrowed { from: String, to: String },
    /// The tool has another name there.
    Renamed { to: String },
    /// The tool cannot be offered strictly, and is offered without.
    NotStrict { reason: String },
    /// The interface is known to refuse this, and nothing can be put in its place.
    Refused { what: String },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.tool)?;
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        match &self.change {
            Change::Dropped { keyword } => write!(f, "`{keyword}` is left out"),
            Change::Replaced { from, to } => write!(f, "{from} becomes {to}"),
            Change::Narrowed { from, to } => write!(f, "{from} is narrowed to {to}"),
            Change::Renamed { to } => write!(f, "is called `{to}`"),
            Change::NotStrict { reason } => write!(f, "is not offered strictly: {reason}"),
            Change::Refused { what } => write!(f, "may be refused: {what}"),
        }
    }
}
