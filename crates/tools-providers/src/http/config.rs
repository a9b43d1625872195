//! The section `[llm]`, its checks, and how it opens providers.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_core::{KeyFault, quoted};
use tools_tls::Endpoint;

use super::key::{Key, KeyReader};
use super::provider::HttpProvider;
use crate::{CacheMode, ModelInfo, Prices, Protocol, codec::Options};

/// The models that may be asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LlmConfig {
    /// Name of the provider in `[[llm.providers]]` that agents use. Empty: the first one.
    pub provider: String,
    /// The models that Haft may use: for each a name, the server and its protocol, the model and
    /// the key.
    pub providers: Vec<ProviderConfig>,
}

/// Protocol of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProviderKind {
    /// Anthropic's messages.
    #[default]
    Anthropic,
    /// OpenAI's responses.
    #[serde(rename = "openai")]
    OpenAi,
    /// OpenAI's chat completions.
    #[serde(rename = "openai-chat")]
    OpenAiChat,
    /// Chat completions of another server, asked only for what most of them know.
    #[serde(rename = "openai-compatible")]
    OpenAiCompatible,
    /// Ollama.
    Ollama,
}

/// A model at a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProviderConfig {
    /// Name in other keys.
    pub name: String,
    /// Protocol of its server: `anthropic`, `openai`, `openai-chat`, `openai-compatible` or
    /// `ollama`.
    pub kind: ProviderKind,
    /// The model's name at the server.
    pub model: String,
    /// Base URL of the server; empty for the vendor's own, and for the port of this machine where
    /// Ollama listens. With `openai-compatible` it has to be there.
    pub base_url: String,
    /// Whether a server on another machine is reached by `http`: then keys and conversations can be
    /// read on the way.
    pub allow_http: bool,
    /// The environment variable that holds the key. Empty with `base_url` empty too:
    /// `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`.
    pub key_env: String,
    /// A program that prints the key, and its arguments. It is run when the first request is made,
    /// and again when the server no longer takes the key.
    pub key_command: Vec<String>,
    /// Maximum number of tokens the model reads and writes in one request.
    pub context_tokens: u64,
    /// Maximum number of tokens of an answer.
    pub max_output_tokens: u32,
    /// Whether the model calls tools natively.
    pub tool_use: bool,
    /// Caching of the beginning of requests at the provider: `auto`, `1h` (what does not change
    /// between turns is kept for an hour) or `off`.
    pub cache: CacheMode,
    /// Below so many tokens the provider caches nothing, and no marks are set.
    pub cache_minimum: u32,
    /// Whether arguments are held to their schema while they are written, where the interface can.
    pub strict: bool,
    /// Maximum number of tokens that an Anthropic model may think before it answers; with Ollama
    /// any value switches thoughts on.
    pub thinking_tokens: Option<u32>,
    /// Effort of the thinking of a model of OpenAI, in its word: `low`, `medium`, `high`.
    pub reasoning_effort: Option<String>,
    /// After so many seconds without a byte a request is given up.
    pub stall_secs: u64,
    /// Prices of a million tokens; unset where costs do not matter.
    pub prices: Option<Prices>,
}

impl Default for ProviderConfig {
    fn default() -> Self {
        Self {
            name: String::new(),
            kind: ProviderKind::Anthropic,
            model: String::new(),
            base_url: String::new(),
            allow_http: false,
            key_env: String::new(),
            key_command: vec![],
            context_tokens: 128_000,
            max_output_tokens: 8_192,
            tool_use: true,
            cache: CacheMode::Auto,
            cache_minimum: 1_024,
            strict: false,
            thinking_tokens: None,
            reasoning_effort: None,
            stall_secs: 120,
            prices: None,
        }
    }
}

impl LlmConfig {
    /// Checks the values.
    ///
    /// # Errors
    /// The first invalid value.
    pub fn check(&self) -> Result<(), KeyFault> {
        let mut names = BTreeSet::new();
        for (at, provider) in self.providers.iter().enumerate() {
            let fault = |(key, problem): (&str, String)| KeyFault::new(format!("providers[{at}].{key}"), problem);
            provider.check().map_err(fault)?;
            if !names.insert(provider.name.as_str()) {
                return Err(fault(("name", format!("two providers are called `{}`", provider.name))));
            }
        }
        if !self.provider.is_empty() && !names.contains(self.provider.as_str()) {
            return Err(KeyFault::new("provider", self.unknown(&self.provider)));
        }
        Ok(())
    }

    /// Error message for an unknown provider name.
    pub fn unknown(&self, name: &str) -> String {
        let names = quoted(self.providers.iter().map(|one| &one.name));
        match (names.as_str(), name) {
            ("", "") => "`[[llm.providers]]` is empty".to_owned(),
            ("", name) => format!("there is no provider `{name}`: `[[llm.providers]]` is empty"),
            (names, name) => format!("there is no provider `{name}` in `[[llm.providers]]`, only {names}"),
        }
    }
}

impl ProviderConfig {
    fn check(&self) -> Result<Endpoint, (&'static str, String)> {
        let fault = |key, problem: &str| Err((key, problem.to_owned()));
        if self.name.trim().is_empty() {
            return fault("name", "expected a name");
        }
        if self.model.trim().is_empty() {
            return fault("model", "expected the name of a model");
        }
        if !self.key_env.is_empty() && !self.key_command.is_empty() {
            return fault("key_command", "expected either `key_env` or `key_command`");
        }
        if !(1_000..=100_000_000).contains(&self.context_tokens) {
            return fault("context_tokens", "expected 1000 to 100000000 tokens");
        }
        if self.max_output_tokens == 0 || u64::from(self.max_output_tokens) > self.context_tokens {
            return fault("max_output_tokens", "expected at least 1 and at most `context_tokens`");
        }
        if !(1..=3_600).contains(&self.stall_secs) {
            return fault("stall_secs", "expected 1 to 3600 seconds");
        }
        if let Some(prices) = &self.prices {
            let all = [Some(prices.input), prices.cached_read, prices.cache_write, Some(prices.output)];
            if all.into_iter().flatten().any(|price| !price.is_finite() || price < 0.0) {
                return fault("prices", "expected prices of 0 or more");
            }
        }
        let url = match (self.base_url.as_str(), self.kind) {
            ("", ProviderKind::Anthropic) => "https://api.anthropic.com",
            ("", ProviderKind::OpenAi | ProviderKind::OpenAiChat) => "https://api.openai.com/v1",
            ("", ProviderKind::Ollama) => "http://127.0.0.1:11434",
            ("", ProviderKind::OpenAiCompatible) => return fault("base_url", "expected the address of the server"),
            (url, _) => url,
        };
        Endpoint::parse(url, self.allow_http).map_err(|problem| ("base_url", problem))
    }

    /// The interface of the server.
    pub fn protocol(&self) -> Protocol {
        match self.kind {
            ProviderKind::Anthropic => Protocol::Anthropic,
            ProviderKind::OpenAi => Protocol::OpenAiResponses,
            ProviderKind::OpenAiChat | ProviderKind::OpenAiCompatible => Protocol::OpenAiChat,
            ProviderKind::Ollama => Protocol::Ollama,
        }
    }

    /// The variable that holds the key; `None` if there is none.
    pub fn key_variable(&self) -> Option<&str> {
        match (self.key_env.as_str(), self.kind) {
            // A server with a configured address gets only a key that is configured for it.
            ("", _) if !self.base_url.is_empty() || !self.key_command.is_empty() => None,
            ("", ProviderKind::Anthropic) => Some("ANTHROPIC_API_KEY"),
            ("", ProviderKind::OpenAi | ProviderKind::OpenAiChat) => Some("OPENAI_API_KEY"),
            ("", _) => None,
            (name, _) => Some(name),
        }
    }

    /// Opens the provider. `command` reads a key that a command prints; it is called when a request
    /// needs the key.
    ///
    /// # Errors
    /// The first invalid value.
    pub fn open(&self, command: Option<KeyReader>) -> Result<HttpProvider, KeyFault> {
        let fault = |(key, problem): (&str, String)| KeyFault::new(format!("providers.{key}"), problem);
        let endpoint = self.check().map_err(fault)?;
        let keys: Option<KeyReader> = match (self.key_variable(), command) {
            (_, Some(command)) if !self.key_command.is_empty() => Some(command),
            (_, None) if !self.key_command.is_empty() => {
                return Err(fault(("key_command", "this program runs no commands for keys".to_owned())));
            }
            (None, _) => None,
            (Some(name), _) => {
                let name = name.to_owned();
                Some(Arc::new(move || {
                    let name = name.clone();
                    Box::pin(async move {
                        let value = std::env::var(&name).map_err(|_| format!("`{name}` is not set"))?;
                        Key::new(&value).ok_or_else(|| format!("`{name}` holds no key"))
                    })
                }))
            }
        };
        let protocol = self.protocol();
        let options = Options {
            max_output_tokens: self.max_output_tokens,
            context_tokens: self.context_tokens,
            is_compatible: self.kind == ProviderKind::OpenAiCompatible,
            strict: self.strict,
            cache: self.cache,
            cache_minimum: self.cache_minimum,
            thinking_tokens: self.thinking_tokens,
            reasoning_effort: self.reasoning_effort.clone(),
            ..Options::new(protocol, self.model.clone())
        };
        let info = ModelInfo {
            id: self.model.clone(),
            context_tokens: self.context_tokens,
            max_output_tokens: self.max_output_tokens,
            supports_tool_use: self.tool_use,
            cache_minimum: (protocol == Protocol::Anthropic).then_some(self.cache_minimum),
            prices: self.prices,
        };
        Ok(HttpProvider::new(&self.name, options, info, endpoint, keys, Duration::from_secs(self.stall_secs)))
    }
}
