//! Known facts about a model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Usage;

/// Facts about a model that are known without asking it.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelInfo {
    /// Its name at the provider.
    pub id: String,
    /// Maximum number of tokens of one request and its answer.
    pub context_tokens: u64,
    /// Maximum number of tokens of one answer, if a request does not set one.
    pub max_output_tokens: u32,
    /// Whether it calls tools natively.
    pub supports_tool_use: bool,
    /// Minimum number of tokens that the provider caches; `None` if requests contain no cache
    /// marks.
    pub cache_minimum: Option<u32>,
    /// Its prices; `None` if not configured.
    pub prices: Option<Prices>,
}

/// Prices of a million tokens, in the currency of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Prices {
    /// Tokens read.
    pub input: f64,
    /// Tokens read from the cache; without this key as `input`.
    pub cached_read: Option<f64>,
    /// Tokens written into the cache; without this key as `input`.
    pub cache_write: Option<f64>,
    /// Tokens written by the model.
    pub output: f64,
}

impl Prices {
    /// The cost of a request.
    #[expect(clippy::cast_precision_loss, reason = "no request has so many tokens that a float loses one")]
    pub fn cost(&self, usage: &Usage) -> f64 {
        let read = self.cached_read.unwrap_or(self.input);
        let written = self.cache_write.unwrap_or(self.input);
        let sum = usage.input as f64 * self.input
            + usage.cached_read as f64 * read
            + usage.cache_write as f64 * written
            + usage.output as f64 * self.output;
        sum / 1_000_000.0
    }
}
