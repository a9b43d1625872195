//! Messages of a conversation, independent of any provider's wire format: what a model wrote and
//! what it read.

use std::sync::Arc;

use serde_json::Value;
use tools_core::{JsonObject, Media, ToolCall, ToolError};

use crate::{BadArguments, Protocol};

/// Author of a message. System text is not a message: it is in [`crate::Request::system`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// A person, or the results of tools.
    User,
    /// The model.
    Assistant,
}

/// One message of a conversation: immutable once it is part of a history, and shared as
/// `Arc<Message>`.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Its author.
    pub role: Role,
    /// Its parts, in order. In a user message all results of tools come first.
    pub blocks: Vec<Block>,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Text.
    Text(String),
    /// Thoughts of the model; only in its own messages.
    Thinking(Thinking),
    /// A call that the model requests; only in its own messages.
    ToolUse(ToolUse),
    /// Result of a call; only in user messages.
    ToolResult(ToolResult),
    /// A picture; only in user messages.
    Image(Media),
}

/// Thoughts of a model before its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Thinking {
    /// The thoughts as far as the provider returns them; may be empty.
    pub text: String,
    /// The block as the provider sent it, with its signature: it is sent back unchanged to the same
    /// protocol, and to no other. `None` for thoughts that are not sent back.
    pub raw: Option<(Protocol, Value)>,
}

/// A call that a model requests.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolUse {
    /// Pairs it with its result. Unique within its message and never empty: if a provider sends
    /// none, or one twice, the id is made from the position and the name.
    pub id: String,
    /// The name of the tool as the model wrote it; the tool may not exist.
    pub name: String,
    /// The parameters, or what is wrong with them.
    pub input: Result<JsonObject, BadArguments>,
}

impl ToolUse {
    /// The requested call. Fields for thoughts are removed.
    ///
    /// # Errors
    /// `InvalidParameters` for an invalid tool name, and for arguments that are not a JSON object,
    /// with the position of the fault.
    pub fn to_call(&self) -> Result<ToolCall, ToolError> {
        match &self.input {
            Ok(params) => ToolCall::new(&self.name, Value::Object(params.clone())),
            Err(bad) => Err(bad.to_error(&self.name)),
        }
    }
}

/// Result of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The id of the call.
    pub id: String,
    /// The name of the tool as the call had it.
    pub name: String,
    /// The text for the model.
    pub text: String,
    /// Whether the call failed.
    pub is_error: bool,
    /// Pictures that belong to the result.
    pub images: Vec<Media>,
}

impl Message {
    /// A message of a person.
    pub fn user(text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self { role: Role::User, blocks: vec![Block::Text(text.into())] })
    }

    /// The message that follows one with calls: the results of all calls, in order.
    pub fn results(results: impl IntoIterator<Item = ToolResult>) -> Arc<Self> {
        Arc::new(Self { role: Role::User, blocks: results.into_iter().map(Block::ToolResult).collect() })
    }

    /// The text, without thoughts, calls and results; its blocks are joined as they are.
    pub fn text(&self) -> String {
        let texts = self.blocks.iter().filter_map(|block| match block {
            Block::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    /// The calls, in their order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolUse> {
        self.blocks.iter().filter_map(|block| match block {
            Block::ToolUse(call) => Some(call),
            _ => None,
        })
    }

    /// The results, in their order.
    pub fn tool_results(&self) -> impl Iterator<Item = &ToolResult> {
        self.blocks.iter().filter_map(|block| match block {
            Block::ToolResult(result) => Some(result),
            _ => None,
        })
    }
}
