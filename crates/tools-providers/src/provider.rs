//! The one trait behind which a model stands, and where its answer can be watched as it comes.

use async_trait::async_trait;

use crate::{ModelInfo, ProviderError, Reply, Request};

/// A model that answers. Called by the agent loop, the policy judge and whatever else needs a
/// model.
///
/// Dropping the future of [`Provider::complete`] cancels the request and closes its connection.
#[async_trait]
pub trait Provider: Send + Sync {
    /// Its name in the configuration.
    fn name(&self) -> &str;

    /// What is known of its model.
    fn model(&self) -> &ModelInfo;

    /// The whole answer. What comes of it earlier goes to `sink`.
    ///
    /// Nothing is tried again in here: whoever calls decides by [`ProviderError::is_retryable`] and
    /// [`ProviderError::retry_after`]. After an error the history is what it was.
    ///
    /// # Errors
    /// By [`crate::ProviderFault`]; none of them shows a key.
    async fn complete(&self, request: &Request<'_>, sink: &dyn Sink) -> Result<Reply, ProviderError>;
}

/// Receiver of the parts of an answer while it arrives.
pub trait Sink: Send + Sync {
    /// Takes a part. It is only shown: what counts is the [`Reply`].
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
    /// A piece of the arguments of a call: no JSON by itself.
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
