//! Options that are the same in every request to a model.

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
    /// Size of the model's context in tokens; sent if the server needs it.
    pub context_tokens: u64,
    /// Whether the server supports OpenAI's chat completions only partly.
    pub is_compatible: bool,
    /// Whether arguments are constrained to their schema during generation, if the protocol
    /// supports it.
    pub strict: bool,
    /// Whether and how request prefixes are marked for the provider's cache.
    pub cache: CacheMode,
    /// Minimum number of tokens for a mark.
    pub cache_minimum: u32,
    /// Maximum number of tokens for thinking; `None` for no thoughts.
    pub thinking_tokens: Option<u32>,
    /// Reasoning effort, in the provider's term; `None` leaves it to the model.
    pub reasoning_effort: Option<String>,
}

impl Options {
    /// Default options.
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
