//! What a client is told of a session.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;
use tools_core::ToolKind;

/// One `session/update`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[expect(clippy::enum_variant_names, reason = "the protocol's names")]
#[serde(tag = "sessionUpdate", rename_all = "snake_case")]
pub(crate) enum Update {
    UserMessageChunk { content: Block },
    AgentMessageChunk { content: Block },
    AgentThoughtChunk { content: Block },
    ToolCall(CallUpdate),
    ToolCallUpdate(CallUpdate),
    Notice { severity: &'static str, title: String },
    UsageUpdate { used: u64, size: u64 },
    SessionInfoUpdate { title: String },
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(crate) enum Block {
    Text { text: String },
    Image { data: String, mime_type: String },
}

/// A call, or what is new of one. What is `None` has not changed.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CallUpdate {
    pub(crate) tool_call_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<ToolKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<CallStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<Vec<CallContent>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) locations: Option<Vec<Place>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) raw_input: Option<Value>,
}

/// How far a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CallStatus {
    Pending,
    InProgress,
    Completed,
    Failed,
}

/// A part of what a call shows.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(crate) enum CallContent {
    Content {
        content: Block,
    },
    Diff {
        path: PathBuf,
        #[serde(skip_serializing_if = "Option::is_none")]
        old_text: Option<String>,
        new_text: String,
    },
    Terminal {
        terminal_id: String,
    },
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u32>,
}

impl Block {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

impl CallContent {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Content { content: Block::text(text) }
    }
}
