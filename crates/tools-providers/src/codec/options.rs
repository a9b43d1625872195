//! What is the same in every request to a model.

use tools_catalog::Dialect;

use crate::{CacheMode, Protocol};

/// Options that are the same in every request to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The interface.
    pub protocol: Protocol,
    /// The model's name at the provider.
    pub model: String,
    /// Maximum number of tokens of an answer, if the request does not say.
    pub max_output_tokens: u32,
    /// Number of tokens that the model reads and writes; sent where the server has to be told.
    pub context_tokens: u64,
    /// Whether the server keeps to OpenAI's chat completions but not to all of it.
    pub is_compatible: bool,
    /// Whether arguments are held to their schema while they are written, where the interface can.
    pub strict: bool,
    /// Whether and how the beginning of requests is marked for the provider's cache.
    pub cache: CacheMode,
    /// Below so many tokens a mark is left out.
    pub cache_minimum: u32,
    /// Maximum number of tokens for thinking; `None` for no thoughts.
    pub thinking_tokens: Option<u32>,
    /// Effort of the model's thinking, in the provider's word; `None` leaves it to the model.
    pub reasoning_effort: Option<String>,
}

impl Options {
    /// Everything as usual.
    pub fn new(protocol: Protocol, model: impl Into<String>) -> Self {
        Self {
            protocol,
            model: model.into(),
            max_output_tokens: 8_192,
            context_tokens: 128_000,
            is_compatible: false,
            strict: false,
            cache: CacheMode::Auto,
            cache_minimum: 1_024,
            thinking_tokens: None,
            reasoning_effort: None,
        }
    }

    /// The form in which tools are written.
    pub(crate) fn dialect(&self) -> Dialect {
        match (self.protocol, self.strict) {
            (Protocol::Anthropic, _) => Dialect::Anthropic,
            (Protocol::OpenAiChat, false) => Dialect::OpenAiChat,
            (Protocol::OpenAiChat, true) => Dialect::OpenAiChatStrict,
            (Protocol::OpenAiResponses, false) => Dialect::OpenAiResponses,
            (Protocol::OpenAiResponses, true) => Dialect::OpenAiResponsesStrict,
            (Protocol::Ollama, _) => Dialect::Ollama,
        }
    }
}
