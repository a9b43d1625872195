//! Errors about things that another server has.

use thiserror::Error;

use crate::{ServerName, ToolError, ToolErrorCategory};

/// A call about something in the memory of another server than the one that received it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{what} is kept by the server `{server}`, and the call came to another one")]
pub struct ElsewhereError {
    /// The thing: a noun and its name, as in "the job `haft-1.job-3`".
    pub what: String,
    /// The server that has it.
    pub server: ServerName,
}

impl ElsewhereError {
    /// The code of such errors, in results and in answers to requests.
    pub const CODE: &str = "session_elsewhere";
}

impl From<ElsewhereError> for ToolError {
    fn from(error: ElsewhereError) -> Self {
        let advice = format!(
            "Only requests with the header `{}: {}` reach that server. Tell the user so if you cannot send it, or begin \
             anew here.",
            ServerName::HEADER,
            error.server
        );
        // The parameters are right; the request reached the wrong server.
        Self::new(ToolErrorCategory::PermanentFailure, ElsewhereError::CODE, error.to_string()).with_suggestion(advice)
    }
}
