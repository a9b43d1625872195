//! What is asked of a model: everything is borrowed, so that no history is copied for a request.

use std::sync::Arc;

use crate::{Message, ToolList};

/// One request to a model.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Task of the model. Part of the cached prefix: it holds no time and nothing else that changes
    /// between turns.
    pub system: &'a str,
    /// The tools it may call.
    pub tools: &'a ToolList,
    /// The conversation, oldest first. Every call in it is answered in the next message.
    pub messages: &'a [Arc<Message>],
    /// Maximum number of tokens of the answer; `None` for what the configuration of the model says.
    pub max_output_tokens: Option<u32>,
    /// Whether it has to call a tool.
    pub tool_choice: ToolChoice<'a>,
    /// Names the conversation to the provider, which keeps requests of the same name close to their
    /// cache.
    pub session_key: &'a str,
}

impl<'a> Request<'a> {
    /// A request that leaves everything else as it usually is.
    pub fn new(system: &'a str, tools: &'a ToolList, messages: &'a [Arc<Message>], session_key: &'a str) -> Self {
        Self { system, tools, messages, max_output_tokens: None, tool_choice: ToolChoice::Auto, session_key }
    }
}

/// Whether a model has to call a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolChoice<'a> {
    /// As it likes.
    #[default]
    Auto,
    /// It may not, though it sees them.
    None,
    /// It must call one. A model that thinks is left its choice, where the interface refuses both
    /// at once.
    Any,
    /// It must call this one, with the same exception.
    Tool(&'a str),
}
