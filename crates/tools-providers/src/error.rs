//! Why there is no answer of a model.

use std::time::Duration;

use thiserror::Error;

/// Reason why a provider gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("provider `{provider}`: {message}")]
pub struct ProviderError {
    /// The name of the provider in the configuration.
    pub provider: String,
    /// Kind of the failure.
    pub fault: ProviderFault,
    /// Message for a person; holds neither keys nor the conversation.
    pub message: String,
    /// The status of the answer; `None` when there was none.
    pub status: Option<u16>,
    /// Time that the server asks to wait; `None` when it says nothing.
    pub retry_after: Option<Duration>,
}

/// Kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProviderFault {
    /// The key is missing, wrong or without the right.
    Auth,
    /// Too many requests, or too many tokens, for now.
    RateLimited,
    /// The server has no capacity or failed by itself.
    Overloaded,
    /// The request is not accepted and will not be.
    InvalidRequest,
    /// The conversation is longer than the model reads.
    ContextTooLong,
    /// There is no such model, or no such address at the server.
    NotFound,
    /// No connection, or one that broke before the answer began.
    Network,
    /// Nothing came for longer than is waited.
    Stalled,
    /// The answer broke off before its end.
    Truncated,
    /// The response does not belong to this interface.
    Protocol,
}

impl ProviderFault {
    /// Its permanent name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auth => "auth",
            Self::RateLimited => "rate_limited",
            Self::Overloaded => "overloaded",
            Self::InvalidRequest => "invalid_request",
            Self::ContextTooLong => "context_too_long",
            Self::NotFound => "not_found",
            Self::Network => "network",
            Self::Stalled => "stalled",
            Self::Truncated => "truncated",
            Self::Protocol => "protocol",
        }
    }
}

impl ProviderError {
    /// An error without an answer of the server.
    pub fn new(provider: impl Into<String>, fault: ProviderFault, message: impl Into<String>) -> Self {
        Self { provider: provider.into(), fault, message: message.into(), status: None, retry_after: None }
    }

    /// Whether the same request may be answered later. A broken answer has changed nothing: no call
    /// of it was made.
    pub fn is_retryable(&self) -> bool {
        match self.fault {
            ProviderFault::RateLimited
            | ProviderFault::Overloaded
            | ProviderFault::Network
            | ProviderFault::Stalled
            | ProviderFault::Truncated
            | ProviderFault::Protocol => true,
            ProviderFault::Auth
            | ProviderFault::InvalidRequest
            | ProviderFault::ContextTooLong
            | ProviderFault::NotFound => false,
        }
    }
}
