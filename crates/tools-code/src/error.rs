//! Errors of a `search_code` call, with their categories.

use tools_core::{ToolError, ToolErrorCategory as Category};

/// Reason why a call failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CodeError {
    #[error("`query` is missing")]
    NoQuery,
    #[error("`query` holds no name and no word")]
    NoWords,
    #[error("`query` has {chars} characters, more than the {most} that are searched for")]
    TooLong { chars: usize, most: usize },
    #[error("`{0}` is not a known language")]
    Language(String),
    #[error("the search ended unexpectedly")]
    Lost,
}

impl From<CodeError> for ToolError {
    fn from(error: CodeError) -> Self {
        let text = error.to_string();
        let (category, code, advice) = match error {
            CodeError::NoQuery => (
                Category::InvalidParameters,
                "no_query",
                "Name a symbol, or say in a few words what to look for; only `kind: outline` needs no `query`.",
            ),
            CodeError::NoWords => (
                Category::InvalidParameters,
                "no_words",
                "Name a symbol, or say in a few words what to look for. Signs are found with `grep`.",
            ),
            CodeError::TooLong { .. } => (
                Category::InvalidParameters,
                "query_too_long",
                "Name a symbol, or say in a few words what to look for.",
            ),
            CodeError::Language(_) => (
                Category::InvalidParameters,
                "unknown_language",
                "Known are rust, python, javascript, typescript, go, java, c, c++, bash and text.",
            ),
            CodeError::Lost => return Self::new(Category::PermanentFailure, "lost", text),
        };
        Self::new(category, code, text).with_suggestion(advice)
    }
}
