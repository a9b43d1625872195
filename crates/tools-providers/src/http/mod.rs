//! Configured providers, and the way to their servers.

mod config;
mod key;
mod models;
mod provider;

pub use config::{Kind, LlmConfig, ProviderConfig};
pub use key::{Key, KeyReader};
pub use models::Models;
pub use provider::HttpProvider;
