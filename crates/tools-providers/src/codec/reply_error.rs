//! Error of an answer that cannot be decoded, or that reports a failure.

use thiserror::Error;

use crate::ProviderFault;

/// Reason why bytes are not a reply.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct ReplyError {
    /// Kind of the failure.
    pub fault: ProviderFault,
    /// The message; contains nothing of the conversation except the server's own error text.
    pub message: String,
}

impl ReplyError {
    pub(super) fn new(fault: ProviderFault, message: impl Into<String>) -> Self {
        Self { fault, message: message.into() }
    }

    pub(super) fn protocol(message: impl Into<String>) -> Self {
        Self::new(ProviderFault::Protocol, message)
    }

    pub(super) fn truncated() -> Self {
        Self::new(ProviderFault::Truncated, "the answer broke off before its end")
    }
}
