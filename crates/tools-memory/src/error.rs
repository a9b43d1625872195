//! Errors of memories, and their categories.

use thiserror::Error;
use tools_core::{ToolError, ToolErrorCategory};
use tools_store::StoreError;

use crate::Limits;

/// Reason why a memory was not saved, or a search failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// A parameter is out of bounds.
    #[error("{0}")]
    Parameter(String),
    /// There is no memory with this identifier that the caller may see.
    #[error("there is no memory `{0}` in this scope")]
    NotFound(String),
    /// The text to be saved contains a credential.
    #[error("the text holds a credential ({0}), and credentials are not saved")]
    Secret(&'static str),
    /// Saving is not allowed in this phase.
    #[error("nothing is saved while results are checked")]
    Phase,
    /// The session has read text from outside and may not save.
    #[error("this session has read text from outside, and `tools.memory.save_from_untrusted` is `deny`")]
    Untrusted,
    /// The store has reached its limits.
    #[error("the store is full: {} memories or {} bytes", .0.entries, .0.bytes)]
    Full(Limits),
    /// The text cannot be stored, or is not a valid memory.
    #[error("the text is not a valid memory: {0}")]
    Content(String),
    /// The stored data differs from the data that was written.
    #[error("the store of memories is damaged: {0} cannot be read")]
    Damaged(String),
    /// The store failed.
    #[error("the store of memories cannot be used: {0}")]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for MemoryError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

impl From<MemoryError> for ToolError {
    fn from(error: MemoryError) -> Self {
        use MemoryError as E;
        use ToolErrorCategory as C;
        let (category, code, suggestion) = match &error {
            E::Parameter(_) => (C::InvalidParameters, "invalid_parameters", None),
            E::NotFound(_) => (
                C::PermanentFailure,
                "memory_not_found",
                Some("Search for it with `memory_search`; a memory is superseded in the scope it was saved in."),
            ),
            E::Secret(_) => (
                C::PolicyBlocked,
                "holds_secret",
                Some("Save it without the credential: say where the credential is kept, not what it is."),
            ),
            E::Phase => (C::PolicyBlocked, "closed_in_phase", None),
            E::Untrusted => (C::PolicyBlocked, "untrusted_session", None),
            E::Full(_) => (
                C::PermanentFailure,
                "memory_full",
                Some("Ask the user to remove some with `haft memory rm`, or to raise `tools.memory.max_entries`."),
            ),
            E::Content(_) => (C::InvalidParameters, "no_memory", None),
            E::Store(store) if store.is_passing() => (C::ServerError, "memory_busy", None),
            E::Store(StoreError::Newer { .. }) => (C::PermanentFailure, "memory_newer", None),
            E::Damaged(_) | E::Store(StoreError::Damaged(_) | StoreError::Foreign) => {
                (C::PermanentFailure, "memory_damaged", None)
            }
            E::Store(StoreError::Runtime) => (C::PermanentFailure, "no_runtime", None),
            E::Store(_) => (C::PermanentFailure, "memory_failed", None),
        };
        let tool_error = Self::new(category, code, error.to_string()).with_source(error);
        match suggestion {
            Some(suggestion) => tool_error.with_suggestion(suggestion),
            None => tool_error,
        }
    }
}
