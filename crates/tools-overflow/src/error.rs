//! Errors of stored output, and their failure categories.

use std::error::Error;

use thiserror::Error;
use tools_core::{ToolError, ToolErrorCategory};

use crate::InvalidReference;

/// Reason why output was not stored or not read.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum OverflowError {
    /// The text is not a reference.
    #[error(transparent)]
    Reference(#[from] InvalidReference),
    /// The conversation has no such output. The same whether it never existed, was removed or
    /// belongs to another conversation.
    #[error("no stored output of this reference")]
    NotFound,
    /// A position after the end.
    #[error("{position} is behind the end: the stored output has {length}")]
    BehindEnd { position: String, length: String },
    /// A pattern that is not a valid regular expression.
    #[error("`grep` is not a valid regular expression: {0}")]
    Pattern(String),
    /// Parameters that conflict.
    #[error("{0}")]
    Parameters(&'static str),
    /// The stored data differs from the data that was written.
    #[error("the stored output is damaged")]
    Damaged,
    /// The store failed.
    #[error("the store of long output cannot be used: {0}")]
    Store(#[source] Box<dyn Error + Send + Sync>),
}

impl OverflowError {
    /// A failure of the store.
    pub fn store(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Store(error.into())
    }
}

impl From<OverflowError> for ToolError {
    fn from(error: OverflowError) -> Self {
        use OverflowError as E;
        use ToolErrorCategory as C;
        let (category, code, suggestion) = match &error {
            E::Reference(_) => (C::InvalidParameters, "invalid_reference", None),
            E::NotFound => (
                C::InvalidParameters,
                "overflow_not_found",
                Some("Output is kept for its own conversation and for a limited time; make the call again."),
            ),
            E::BehindEnd { .. } => (C::InvalidParameters, "behind_end", None),
            E::Pattern(_) => (C::InvalidParameters, "invalid_pattern", None),
            E::Parameters(_) => (C::InvalidParameters, "invalid_parameters", None),
            E::Damaged => (C::PermanentFailure, "overflow_damaged", Some("Make the call again.")),
            E::Store(_) => (C::PermanentFailure, "overflow_failed", Some("Make the call again and ask for less.")),
        };
        let tool_error = Self::new(category, code, error.to_string()).with_source(error);
        match suggestion {
            Some(suggestion) => tool_error.with_suggestion(suggestion),
            None => tool_error,
        }
    }
}

#[cfg(any(feature = "sqlite", feature = "postgres"))]
impl From<tools_store::StoreError> for OverflowError {
    fn from(error: tools_store::StoreError) -> Self {
        Self::store(error)
    }
}

#[cfg(any(feature = "sqlite", feature = "postgres"))]
impl From<sqlx::Error> for OverflowError {
    fn from(error: sqlx::Error) -> Self {
        tools_store::StoreError::from(error).into()
    }
}
