//! Protocols of model servers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An interface of model servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Anthropic's messages.
    Anthropic,
    /// OpenAI's chat completions, which most other servers speak too.
    #[serde(rename = "openai-chat", alias = "openai-compatible")]
    OpenAiChat,
    /// OpenAI's responses.
    #[serde(rename = "openai-responses", alias = "openai")]
    OpenAiResponses,
    /// Ollama's chat.
    Ollama,
}
