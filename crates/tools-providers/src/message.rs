//! The messages of a conversation, as no provider's wire format has them: what a model said and
//! what it was told.

use std::sync::Arc;

use serde_json::Value;
use tools_core::{JsonObject, Media, ToolCall, ToolError};

use crate::{BadArguments, Protocol};

/// Author of a message. System text is no message: it stands in [`crate::Request::system`].
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
    /// Its parts, in order. In a message of the user all results of tools come before anything
    /// else.
    pub blocks: Vec<Block>,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Text.
    Text(String),
    /// Thoughts of the model; only in its own messages.
    Thinking(Thinking),
    /// A call that the model wants made; only in its own messages.
    ToolUse(ToolUse),
    /// Result of a call; only in messages of the user.
    ToolResult(ToolResult),
    /// A picture; only in messages of the user.
    Image(Media),
}

/// Thoughts of a model before its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Thinking {
    /// The thoughts as far as the provider shows them; may be empty.
    pub text: String,
    /// The block as the provider sent it, with its signature: it is sent back to the same interface
    /// unchanged, and to no other. `None` for thoughts that are not sent back at all.
    pub raw: Option<(Protocol, Value)>,
}

/// A call that a model wants made.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolUse {
    /// Pairs it with its result. Unique within its message and never empty: a provider that sends
    /// none, or one twice, gets ids that are made from the position and the name.
    pub id: String,
    /// The name of the tool as the model wrote it; may be no tool's.
    pub name: String,
    /// The parameters, or what is wrong with what the model wrote in their place.
    pub input: Result<JsonObject, BadArguments>,
}

impl ToolUse {
    /// The call that it asks for. Fields for thoughts are taken out.
    ///
    /// # Errors
    /// `InvalidParameters` for a name that no tool can have, and for arguments that are no JSON
    /// object, with the position of the fault.
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

    /// The message that follows one with calls: the results of all of them, in their order.
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
