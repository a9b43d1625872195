//! Configured providers, and the way to their servers.

mod config;
mod key;
mod provider;

pub use config::{Kind, LlmConfig, ProviderConfig};
pub use key::{Key, KeyReader};
pub use provider::HttpProvider;
