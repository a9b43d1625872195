//! Requests of a running tool to the client of its call: a form for the person, a completion by the
//! client's model, or its roots. This is not consent, which gates ask for
//! ([`super::ConfirmPrompt`]).

use std::{collections::BTreeMap, fmt};

use async_trait::async_trait;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::{CallContext, ToolError, ToolErrorCategory};

/// Something that a tool wants from the client of its call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum InputRequest {
    /// A form for the person behind the client.
    Form {
        /// The question. The client is also given the name of the asking tool.
        message: String,
        /// The fields: a JSON schema of type `object` whose properties are texts, numbers, booleans
        /// and choices, as in MCP's `requestedSchema`.
        schema: Value,
    },
    /// A completion by the client's own model.
    Completion {
        /// The prompt for the model.
        prompt: String,
        /// Maximum number of tokens in the answer.
        max_tokens: u32,
    },
    /// The folders in which the client works.
    Roots,
}

impl InputRequest {
    /// Kind of the request.
    pub fn kind(&self) -> InputKind {
        match self {
            Self::Form { .. } => InputKind::Form,
            Self::Completion { .. } => InputKind::Completion,
            Self::Roots => InputKind::Roots,
        }
    }
}

/// The kinds of [`InputRequest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum InputKind {
    /// [`InputRequest::Form`].
    Form,
    /// [`InputRequest::Completion`].
    Completion,
    /// [`InputRequest::Roots`].
    Roots,
}

impl fmt::Display for InputKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Form => "a form",
            Self::Completion => "a completion",
            Self::Roots => "its roots",
        })
    }
}

/// Answer of a client.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum InputAnswer {
    /// The person filled in the form. The fields are as the client sent them, not checked against
    /// the schema.
    Filled(Map<String, Value>),
    /// The person refused.
    Declined,
    /// The person closed the form.
    Dismissed,
    /// The text that the model of the client wrote.
    Completed(String),
    /// The URIs of the client's roots.
    Roots(Vec<String>),
}

/// Reason why a tool has no answer from the client.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InputError {
    /// The client does not offer this, or there is no client.
    #[error("this tool needs {0} from the client, which offers none")]
    NotOffered(InputKind),
    /// The client answers in a later request, which starts the call anew: the tool ends with this
    /// error and has done nothing yet.
    #[error("the client has to answer first")]
    Awaited,
    /// The request itself is wrong.
    #[error("the client cannot be asked this: {0}")]
    Invalid(String),
    /// There was no answer, or it was of another kind than the request.
    #[error("the client did not answer: {0}")]
    Failed(String),
}

impl From<InputError> for ToolError {
    fn from(error: InputError) -> Self {
        let (category, code) = match &error {
            InputError::NotOffered(_) => (ToolErrorCategory::PermanentFailure, "input_not_offered"),
            InputError::Awaited => (ToolErrorCategory::ConfirmationRequired, "input_awaited"),
            InputError::Invalid(_) => (ToolErrorCategory::PermanentFailure, "input_invalid"),
            InputError::Failed(_) => (ToolErrorCategory::PermanentFailure, "input_failed"),
        };
        Self::new(category, code, error.to_string()).with_source(error)
    }
}

/// Connection to the client of a call. Hosts put one into the call context
/// ([`CallContext::with_input`]); a layer that changes text wraps the existing one.
#[async_trait]
pub trait InputSource: Send + Sync {
    /// Whether the client offers this kind of request.
    fn offers(&self, kind: InputKind) -> bool;

    /// Sends all requests at once; the answers have the same keys.
    ///
    /// # Errors
    /// See [`InputError`].
    async fn input(
        &self,
        requests: BTreeMap<String, InputRequest>,
    ) -> Result<BTreeMap<String, InputAnswer>, InputError>;
}

impl fmt::Debug for dyn InputSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InputSource")
    }
}

impl CallContext {
    /// Whether the client of this call offers this kind of request.
    pub fn offers_input(&self, kind: InputKind) -> bool {
        self.input_source().is_some_and(|source| source.offers(kind))
    }

    /// Asks the client of this call. The keys name the requests, and stay the same when the call
    /// starts anew.
    ///
    /// Some clients answer in a later request, which starts the call anew
    /// ([`InputError::Awaited`]). So a tool asks before it does anything, and asks the same again.
    ///
    /// # Errors
    /// [`InputError::NotOffered`] if one of the requests is not offered, or there is no client;
    /// otherwise see [`InputError`].
    ///
    /// ```
    /// use serde_json::json;
    /// use tools_core::{CallContext, InputAnswer, InputRequest, ToolError};
    ///
    /// async fn greeting(cx: &CallContext) -> Result<String, ToolError> {
    ///     let name = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
    ///     let form = InputRequest::Form { message: "What is your name?".to_owned(), schema: name };
    ///     let answers = cx.input([("name".to_owned(), form)].into()).await?;
    ///     Ok(match answers.get("name") {
    ///         Some(InputAnswer::Filled(fields)) => format!("Hello, {}!", fields["name"]),
    ///         _ => "Hello!".to_owned(),
    ///     })
    /// }
    /// ```
    pub async fn input(
        &self,
        requests: BTreeMap<String, InputRequest>,
    ) -> Result<BTreeMap<String, InputAnswer>, InputError> {
        let source = self.input_source();
        let offers = |kind| source.is_some_and(|source| source.offers(kind));
        if let Some(kind) = requests.values().map(InputRequest::kind).find(|kind| !offers(*kind)) {
            return Err(InputError::NotOffered(kind));
        }
        match source {
            Some(source) if !requests.is_empty() => source.input(requests).await,
            _ => Ok(BTreeMap::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    struct OnlyRoots;

    #[async_trait]
    impl InputSource for OnlyRoots {
        fn offers(&self, kind: InputKind) -> bool {
            kind == InputKind::Roots
        }

        async fn input(
            &self,
            requests: BTreeMap<String, InputRequest>,
        ) -> Result<BTreeMap<String, InputAnswer>, InputError> {
            Ok(requests.into_keys().map(|key| (key, InputAnswer::Roots(vec!["file:///a".to_owned()]))).collect())
        }
    }

    fn completion() -> InputRequest {
        InputRequest::Completion { prompt: "x".to_owned(), max_tokens: 1 }
    }

    #[tokio::test]
    async fn without_a_client_nothing_is_offered() {
        let cx = CallContext::new("/");
        let error = cx.input([("a".to_owned(), completion())].into()).await.unwrap_err();
        assert_eq!(error, InputError::NotOffered(InputKind::Completion));
        assert_eq!(ToolError::from(error).code(), "input_not_offered");
        assert_eq!(cx.input(BTreeMap::new()).await, Ok(BTreeMap::new()));
    }

    #[tokio::test]
    async fn one_request_that_is_not_offered_keeps_all_of_them_back() {
        let cx = CallContext::new("/").with_input(Arc::new(OnlyRoots));
        let roots = || ("r".to_owned(), InputRequest::Roots);
        let both = [roots(), ("c".to_owned(), completion())].into();
        assert_eq!(cx.input(both).await, Err(InputError::NotOffered(InputKind::Completion)));
        let answers = cx.input([roots()].into()).await.unwrap();
        assert_eq!(answers["r"], InputAnswer::Roots(vec!["file:///a".to_owned()]));
        assert!(cx.offers_input(InputKind::Roots) && !cx.offers_input(InputKind::Form));
    }
}
