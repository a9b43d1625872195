//! Saved conversations as JSON, from which the same conversation can be restored.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;
use tools_core::JsonObject;
use tools_providers::{BadArguments, Block, Message, Protocol, Role, Thinking, ToolResult, ToolUse};

use crate::{History, InvalidHistory, Summary, history::render};

/// A saved conversation. Pictures are not saved: a line says that there was one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredHistory {
    messages: Vec<StoredMessage>,
    #[serde(default)]
    knowledge: usize,
    #[serde(default)]
    summaries: Vec<Summary>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct StoredMessage {
    role: StoredRole,
    blocks: Vec<StoredBlock>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredRole {
    User,
    Assistant,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum StoredBlock {
    Text {
        text: String,
    },
    Thinking {
        text: String,
        #[serde(default)]
        raw: Option<(Protocol, Value)>,
    },
    ToolUse {
        id: String,
        name: String,
        input: StoredInput,
    },
    ToolResult {
        id: String,
        name: String,
        text: String,
        is_error: bool,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredInput {
    Params(JsonObject),
    Unreadable { text: String, problem: String, at: Option<(usize, usize)> },
}

/// Error of a text that is not a saved conversation.
#[derive(Debug, Error)]
pub enum RestoreError {
    /// The messages are invalid for providers.
    #[error(transparent)]
    Invalid(#[from] InvalidHistory),
}

impl From<&History> for StoredHistory {
    fn from(history: &History) -> Self {
        Self {
            messages: history.messages().iter().map(|message| stored(message)).collect(),
            knowledge: history.knowledge(),
            summaries: history.summaries().to_vec(),
        }
    }
}

impl StoredHistory {
    /// The number of its messages.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// The conversation as text for a person.
    pub fn transcript(&self) -> String {
        let messages: Vec<Arc<Message>> = self.messages.iter().cloned().map(restored).collect();
        render(&messages, 0)
    }

    /// Restores the conversation.
    ///
    /// # Errors
    /// If providers would not accept it.
    pub fn restore(self) -> Result<History, RestoreError> {
        let messages = self.messages.into_iter().map(restored).collect();
        Ok(History::restored(messages, self.knowledge, self.summaries)?)
    }
}

fn stored(message: &Message) -> StoredMessage {
    let role = match message.role {
        Role::User => StoredRole::User,
        Role::Assistant => StoredRole::Assistant,
    };
    StoredMessage { role, blocks: message.blocks.iter().map(block).collect() }
}

fn block(block: &Block) -> StoredBlock {
    match block {
        Block::Text(text) => StoredBlock::Text { text: text.clone() },
        Block::Thinking(thinking) => StoredBlock::Thinking { text: thinking.text.clone(), raw: thinking.raw.clone() },
        Block::ToolUse(call) => StoredBlock::ToolUse {
            id: call.id.clone(),
            name: call.name.clone(),
            input: match &call.input {
                Ok(params) => StoredInput::Params(params.clone()),
                Err(bad) => {
                    StoredInput::Unreadable { text: bad.text.clone(), problem: bad.problem.clone(), at: bad.at }
                }
            },
        },
        Block::ToolResult(result) => StoredBlock::ToolResult {
            id: result.id.clone(),
            name: result.name.clone(),
            text: result.text.clone(),
            is_error: result.is_error,
        },
        Block::Image(_) => StoredBlock::Text { text: "[a picture]".to_owned() },
    }
}

fn restored(message: StoredMessage) -> Arc<Message> {
    let role = match message.role {
        StoredRole::User => Role::User,
        StoredRole::Assistant => Role::Assistant,
    };
    let blocks = message.blocks.into_iter().map(|block| match block {
        StoredBlock::Text { text } => Block::Text(text),
        StoredBlock::Thinking { text, raw } => Block::Thinking(Thinking { text, raw }),
        StoredBlock::ToolUse { id, name, input } => {
            let input = match input {
                StoredInput::Params(params) => Ok(params),
                StoredInput::Unreadable { text, problem, at } => Err(BadArguments { text, problem, at }),
            };
            Block::ToolUse(ToolUse { id, name, input })
        }
        StoredBlock::ToolResult { id, name, text, is_error } => {
            Block::ToolResult(ToolResult { id, name, text, is_error, images: vec![] })
        }
    });
    Arc::new(Message { role, blocks: blocks.collect() })
}
