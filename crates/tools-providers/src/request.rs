//! A request to a model. Everything is borrowed, so that no history is copied for a request.

use std::sync::Arc;

use crate::{Message, ToolList};

/// One request to a model.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// System prompt. Part of the cached prefix: it must contain no time and nothing else that
    /// changes between turns.
    pub system: &'a str,
    /// The tools it may call.
    pub tools: &'a ToolList,
    /// The conversation, oldest first. Every call in it is answered in the next message.
    pub messages: &'a [Arc<Message>],
    /// Maximum number of tokens of the answer; `None` for the model's configured limit.
    pub max_output_tokens: Option<u32>,
    /// Whether the model must call a tool.
    pub tool_choice: ToolChoice<'a>,
    /// Identifies the conversation to the provider, which routes requests with the same key to the
    /// same cache.
    pub session_key: &'a str,
}

impl<'a> Request<'a> {
    /// A request with default options.
    pub fn new(system: &'a str, tools: &'a ToolList, messages: &'a [Arc<Message>], session_key: &'a str) -> Self {
        Self { system, tools, messages, max_output_tokens: None, tool_choice: ToolChoice::Auto, session_key }
    }
}

/// Whether a model must call a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolChoice<'a> {
    /// It decides by itself.
    #[default]
    Auto,
    /// It may not, although the tools are in the request.
    None,
    /// It must call one. If the protocol does not allow this for a model that thinks, the model
    /// decides.
    Any,
    /// It must call this one, with the same exception.
    Tool(&'a str),
}
