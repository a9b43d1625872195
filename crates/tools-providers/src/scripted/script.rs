//! The script of a scripted provider.

use serde::{Deserialize, Serialize};
use thiserror::Error;
use tools_core::JsonObject;

use crate::{Protocol, Usage};

/// Answers of a scripted provider, turn by turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    /// Protocol within the process.
    pub protocol: Protocol,
    /// Maximum number of tokens that the model reads.
    pub context_tokens: u64,
    /// Whether the model calls tools natively.
    pub tool_use: bool,
    /// The answers, one for each request.
    pub turns: Vec<Turn>,
}

impl Default for Script {
    fn default() -> Self {
        Self { protocol: Protocol::Anthropic, context_tokens: 128_000, tool_use: true, turns: vec![] }
    }
}

/// One answer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Turn {
    /// The newest message of the request has to hold this text; empty for any.
    pub expect: String,
    /// Thoughts of the model; empty for nothing.
    pub thinking: String,
    /// Text of the model; empty for nothing.
    pub text: String,
    /// The calls it wants made.
    pub calls: Vec<ScriptedCall>,
    /// Its usage.
    pub usage: Option<Usage>,
    /// Reason of the end, in the interface's word; empty for what follows from the calls.
    pub stop: String,
    /// The answer comes in pieces of so many bytes; 0 for one piece per event.
    pub pieces: usize,
    /// Fault of the answer; nothing when unset.
    pub fault: Option<Fault>,
    /// The status of the answer with the fault `status`.
    pub status: u16,
    /// The header `Retry-After` of that answer; empty for none.
    pub retry_after: String,
}

/// A call of an answer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScriptedCall {
    /// The tool.
    pub tool: String,
    /// Its parameters.
    pub params: JsonObject,
    /// Text in their place, sent as it is.
    pub arguments: Option<String>,
    /// The id: made when unset, left out when empty.
    pub id: Option<String>,
}

/// Fault of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// The server answers with `status` and no message of a model.
    Status,
    /// The server reports in the stream that it has no capacity.
    ErrorInStream,
    /// The answer breaks off in its middle.
    Truncated,
    /// Nothing comes after its middle.
    Stalled,
    /// A byte in its middle is no UTF-8.
    InvalidUtf8,
    /// The response is not JSON.
    NotJson,
}

/// A script that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the script cannot be used: {0}")]
pub struct ScriptError(String);

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// What is wrong with it and in which line.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let script: Self = toml::from_str(text).map_err(|error| ScriptError(error.to_string()))?;
        for (at, turn) in script.turns.iter().enumerate() {
            let fault = |problem: &str| Err(ScriptError(format!("`turns[{at}]`: {problem}")));
            if turn.fault == Some(Fault::Status) && !(400..600).contains(&turn.status) {
                return fault("the fault `status` needs `status` of 400 to 599");
            }
            if turn.fault.is_none() && turn.text.is_empty() && turn.calls.is_empty() && turn.thinking.is_empty() {
                return fault("expected a text, calls or a fault");
            }
            if turn.calls.iter().any(|call| call.tool.is_empty()) {
                return fault("a call without a tool");
            }
        }
        Ok(script)
    }
}
