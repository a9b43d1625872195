//! The trait of a model, and the receiver of an answer while it arrives.

use async_trait::async_trait;

use crate::{ModelInfo, ProviderError, Reply, Request};

/// A model that answers. Called by the agent loop, the policy judge and other users of a model.
///
/// Dropping the future of [`Provider::complete`] cancels the request and closes its connection.
#[async_trait]
pub trait Provider: Send + Sync {
    /// Its name in the configuration.
    fn name(&self) -> &str;

    /// Known facts about its model.
    fn model(&self) -> &ModelInfo;

    /// Returns the whole answer. Its parts are passed to `sink` as they arrive.
    ///
    /// Does not retry: the caller decides by [`ProviderError::is_retryable`] and
    /// [`ProviderError::retry_after`]. An error leaves the history unchanged.
    ///
    /// # Errors
    /// By [`crate::ProviderFault`]; none of them contains a key.
    async fn complete(&self, request: &Request<'_>, sink: &dyn Sink) -> Result<Reply, ProviderError>;
}

/// Receiver of the parts of an answer while it arrives.
pub trait Sink: Send + Sync {
    /// Takes a part, for display only. The [`Reply`] is authoritative.
    fn take(&self, delta: Delta<'_>);
}

/// A part of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delta<'a> {
    /// Text of the answer.
    Text(&'a str),
    /// Text of the thoughts before it.
    Thinking(&'a str),
    /// A call begins.
    CallStart {
        /// Its position among the calls of the answer.
        index: usize,
        /// The name of the tool.
        name: &'a str,
    },
    /// A piece of the arguments of a call, which alone is not valid JSON.
    CallArguments {
        /// The position of the call.
        index: usize,
        /// The piece.
        text: &'a str,
    },
}

/// Shows nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoSink;

impl Sink for NoSink {
    fn take(&self, _: Delta<'_>) {}
}

impl<F: Fn(Delta<'_>) + Send + Sync> Sink for F {
    fn take(&self, delta: Delta<'_>) {
        self(delta);
    }
}
