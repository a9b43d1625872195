//! What was wrong with a definition.

use thiserror::Error;
use tools_core::ToolName;

/// Something that was wrong with a definition. It was put right when the definition was taken in;
/// nothing of it shows up when the tool is called.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum CatalogFault {
    /// Two tools are called the same. The first is kept.
    #[error("two tools are called `{0}`; the first is kept")]
    Duplicate(ToolName),
    /// A reference leads out of the definition, or to nothing.
    #[error(
        "`{tool}`: the reference `{reference}` {} leads to nothing in its definition; any value is taken there",
        at(path)
    )]
    Reference { tool: ToolName, path: String, reference: String },
    /// A schema that holds itself, or grows too large when its references are followed.
    #[error("`{tool}`: the schema {} holds itself or is too large; any value is taken below it", at(path))]
    Endless { tool: ToolName, path: String },
    /// A keyword of the schema has a value that it cannot have.
    #[error("`{tool}`: `{keyword}` {} cannot be what it is; it is passed over", at(path))]
    Keyword { tool: ToolName, path: String, keyword: String },
    /// The parameters as a whole are something else than an object.
    #[error("`{0}`: its parameters are not an object; it is taken as one without known parameters")]
    NoObject(ToolName),
    /// A description that no prompt has room for.
    #[error("`{tool}`: its description has {bytes} bytes; the first {kept} are kept")]
    Long { tool: ToolName, bytes: usize, kept: usize },
    /// A description with characters that are not seen by whoever reads it.
    #[error("`{0}`: its description holds characters that do not show; they are taken out")]
    Hidden(ToolName),
}

fn at(path: &str) -> String {
    let shown: String = path.chars().take(80).flat_map(char::escape_debug).collect();
    if shown.is_empty() { "of its parameters".to_owned() } else { format!("at `{shown}`") }
}
