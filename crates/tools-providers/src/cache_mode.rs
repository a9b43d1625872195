//! Settings for the provider's cache of request prefixes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Caching of the beginning of requests at the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CacheMode {
    /// Marks where the interface takes them, a key for the session where it takes one.
    #[default]
    Auto,
    /// As `auto`, and what does not change between turns is kept for an hour.
    #[serde(rename = "1h")]
    Hour,
    /// Not at all.
    Off,
}
