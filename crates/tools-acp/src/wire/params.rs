//! What a client sends. Fields that are not used are not read, so that what later versions add does
//! no harm.

use std::path::PathBuf;

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::rpc::RpcError;

/// Reads the parameters of a method.
///
/// # Errors
/// What does not fit.
pub(crate) fn parse<T: DeserializeOwned>(params: Value) -> Result<T, RpcError> {
    serde_json::from_value(params).map_err(|error| RpcError::invalid_params(error.to_string()))
}

/// `initialize`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Initialize {
    /// The latest version that the client speaks.
    #[serde(rename = "protocolVersion")]
    pub(crate) _protocol_version: u16,
    #[serde(default)]
    pub(crate) client_capabilities: ClientCapabilities,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClientCapabilities {
    session: Option<ClientSession>,
    /// Whether the client makes terminals.
    #[serde(default)]
    pub(crate) terminal: bool,
}

#[derive(Debug, Default, Deserialize)]
struct ClientSession {
    notices: Option<Value>,
}

impl ClientCapabilities {
    /// Whether the client shows notices that are no part of an answer.
    pub(crate) fn shows_notices(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.notices.as_ref().is_some_and(Value::is_object))
    }
}

/// `session/new`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewSession {
    pub(crate) cwd: PathBuf,
    #[serde(default)]
    pub(crate) mcp_servers: Vec<Value>,
    #[serde(default)]
    pub(crate) additional_directories: Vec<Value>,
}

/// `session/load` and `session/resume`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OldSession {
    pub(crate) session_id: String,
    #[serde(flatten)]
    pub(crate) place: NewSession,
}

/// `session/prompt`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Prompt {
    pub(crate) session_id: String,
    pub(crate) prompt: Vec<ContentBlock>,
}

/// A part of what the user says.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum ContentBlock {
    Text { text: String },
    ResourceLink { uri: String, name: String },
    Resource { resource: Resource },
    Image {},
    Audio {},
}

/// A file that the client sends along.
#[derive(Debug, Deserialize)]
pub(crate) struct Resource {
    pub(crate) uri: String,
    pub(crate) text: Option<String>,
}

/// `session/set_mode`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetMode {
    pub(crate) session_id: String,
    pub(crate) mode_id: String,
}

/// `session/cancel`, `session/close` and `session/delete`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionOnly {
    pub(crate) session_id: String,
}

/// `session/list`.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct ListSessions {
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) cursor: Option<String>,
}
