//! Configured providers, and connections to their servers.

mod config;
mod key;
mod models;
mod provider;

pub use config::{LlmConfig, ProviderConfig, ProviderKind};
pub use key::{Key, KeyReader};
pub use models::Models;
pub use provider::HttpProvider;
