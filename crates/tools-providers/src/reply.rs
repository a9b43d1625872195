//! A model's answer, its usage, and why it stopped.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::Message;

/// A complete answer of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The message; goes into the history as it is.
    pub message: Message,
    /// Its usage.
    pub usage: Usage,
    /// Reason of the end.
    pub stop: StopReason,
}

/// Reason for the end of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// The model finished.
    EndTurn,
    /// It waits for the results of its calls.
    ToolUse,
    /// It reached the limit of its output: the end is missing, perhaps also of the arguments of a
    /// call.
    MaxTokens,
    /// It refused, or its answer was filtered.
    Refusal,
    /// Something else, in the provider's word.
    Other(String),
}

/// The tokens of a request and its answer. The four are disjoint: together they are everything that
/// was read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Read, without cache reads and cache writes.
    pub input: u64,
    /// Read from the provider's cache.
    pub cached_read: u64,
    /// Read, and written into the provider's cache.
    pub cache_write: u64,
    /// Written, thoughts included.
    pub output: u64,
}

impl Usage {
    /// All tokens that the model read: the context size of this request.
    pub fn read(&self) -> u64 {
        self.input.saturating_add(self.cached_read).saturating_add(self.cache_write)
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, more: Self) {
        self.input = self.input.saturating_add(more.input);
        self.cached_read = self.cached_read.saturating_add(more.cached_read);
        self.cache_write = self.cache_write.saturating_add(more.cache_write);
        self.output = self.output.saturating_add(more.output);
    }
}
