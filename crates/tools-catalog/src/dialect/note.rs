//! Parts of a definition that an interface cannot express.

use std::fmt;

use serde::Serialize;
use tools_core::ToolName;

/// A part of a definition that an interface takes in another form, or not at all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    /// The tool.
    pub tool: ToolName,
    /// Path in its parameters: `edits[].old`; empty for the definition itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The change.
    #[serde(flatten)]
    pub change: Change,
}

/// Change of a definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "change", rename_all = "snake_case")]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum Change {
    /// A keyword of the schema was dropped: the model does not see it, but calls are still checked
    /// against it.
    Dropped { keyword: String },
    /// A part of the schema is expressed by other keywords with nearly the same meaning.
    Replaced { from: String, to: String },
    /// A type accepts fewer values than in the definition.
    Narrowed { from: String, to: String },
    /// The tool has another name in this interface.
    Renamed { to: String },
    /// The tool cannot be offered in strict mode, and is offered without it.
    NotStrict { reason: String },
    /// The interface is known to refuse this, and there is no replacement.
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
