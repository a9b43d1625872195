//! Faults of definitions.

use thiserror::Error;
use tools_core::ToolName;

/// A fault in a definition. It was repaired when the definition was added, and has no effect on
/// calls of the tool.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum CatalogFault {
    /// Two tools have the same name. The first one is kept.
    #[error("two tools are called `{0}`; the first is kept")]
    Duplicate(ToolName),
    /// A reference leads out of the definition, or to nothing.
    #[error(
        "`{tool}`: the reference `{reference}` {} leads to nothing in its definition; any value is taken there",
        at(path)
    )]
    Reference { tool: ToolName, path: String, reference: String },
    /// A schema that contains itself, or grows too large when its references are replaced.
    #[error("`{tool}`: the schema {} holds itself or is too large; any value is taken below it", at(path))]
    Endless { tool: ToolName, path: String },
    /// A keyword of the schema has an invalid value.
    #[error("`{tool}`: `{keyword}` {} cannot be what it is; it is passed over", at(path))]
    Keyword { tool: ToolName, path: String, keyword: String },
    /// The parameters as a whole are not an object.
    #[error("`{0}`: its parameters are not an object; it is taken as one without known parameters")]
    NoObject(ToolName),
    /// A description that is too long for a prompt.
    #[error("`{tool}`: its description has {bytes} bytes; the first {kept} are kept")]
    Long { tool: ToolName, bytes: usize, kept: usize },
    /// A description with invisible characters.
    #[error("`{0}`: its description holds characters that do not show; they are taken out")]
    Hidden(ToolName),
}

fn at(path: &str) -> String {
    let shown: String = path.chars().take(80).flat_map(char::escape_debug).collect();
    if shown.is_empty() { "of its parameters".to_owned() } else { format!("at `{shown}`") }
}
