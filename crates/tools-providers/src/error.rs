//! Errors of requests to a model.

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
    /// Message for a person; contains neither keys nor the conversation.
    pub message: String,
    /// Status of the response; `None` if there was none.
    pub status: Option<u16>,
    /// Time that the server asks to wait; `None` if it does not say.
    pub retry_after: Option<Duration>,
}

/// Kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProviderFault {
    /// The key is missing, wrong, or lacks a permission.
    Auth,
    /// Too many requests or tokens at the moment.
    RateLimited,
    /// The server has no capacity or failed internally.
    Overloaded,
    /// The request is invalid; repeating it does not help.
    InvalidRequest,
    /// The conversation is longer than the model's context.
    ContextTooLong,
    /// The model or the address does not exist at the server.
    NotFound,
    /// No connection, or one that broke before the answer began.
    Network,
    /// No data arrived within the time limit.
    Stalled,
    /// The answer ended too early.
    Truncated,
    /// The response does not follow the protocol.
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
    /// An error without a response of the server.
    pub fn new(provider: impl Into<String>, fault: ProviderFault, message: impl Into<String>) -> Self {
        Self { provider: provider.into(), fault, message: message.into(), status: None, retry_after: None }
    }

    /// Whether the same request may succeed later. A broken answer has no effects: none of its
    /// calls was made.
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
