//! Prompts that a client offers its user as commands. Each is the result of a call, which is judged
//! and recorded like any other.

use async_trait::async_trait;
use serde_json::{Map, Value};
use thiserror::Error;
use tools_core::{SessionId, ToolCall};

/// Prompts that a session can list and get. Called for the requests `prompts/*`. Implemented by
/// hosts.
#[async_trait]
pub trait Prompts: Send + Sync {
    /// Prompts offered to the session; the same for as long as the server runs.
    async fn list(&self, session: &SessionId) -> Vec<Prompt>;

    /// The call whose result is the text of a prompt with these arguments. It goes through the
    /// stack.
    ///
    /// # Errors
    /// [`PromptError::NotFound`] if the session has no prompt with this name.
    async fn find(
        &self,
        session: &SessionId,
        name: &str,
        arguments: &Map<String, Value>,
    ) -> Result<ToolCall, PromptError>;
}

/// One prompt in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// Its name for requests.
    pub name: String,
    /// Description for people.
    pub description: String,
    /// Name and description of its arguments, all of them optional.
    pub arguments: Vec<(&'static str, &'static str)>,
}

/// Reason why there is no such prompt.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum PromptError {
    /// There is no prompt with this name.
    #[error("there is no prompt `{}`; `prompts/list` names them", name.escape_debug())]
    NotFound { name: String },
    /// The request itself is invalid.
    #[error("{0}")]
    Invalid(String),
}
