//! Configuration: one TOML text, one struct per crate, errors that name key, line and remedy.

mod absent;
#[cfg(feature = "agent")]
mod agent;
#[cfg(feature = "policy")]
mod aliases;
mod digest;
mod embedding;
mod environment;
mod error;
mod followers;
#[cfg(feature = "policy")]
mod gates;
mod load;
mod migrate;
mod overlay;
mod overlays;
#[cfg_attr(
    not(any(feature = "shell", feature = "file")),
    expect(dead_code, reason = "there is nothing that places are kept from")
)]
pub(crate) mod own_places;
pub(crate) mod paths;
mod read;
mod reload_keys;
mod reloaded;
mod sections;
mod security;
mod source;
mod strict_decode;
#[cfg(feature = "watch")]
mod watch;

pub mod places;

pub use absent::AbsentSection;
#[cfg(feature = "agent")]
pub use agent::agent_settings;
pub use digest::policy_digest;
pub use embedding::EmbeddingConfig;
pub use environment::unknown_variables;
pub use error::{ConfigError, LoadError, Place};
pub use load::LoadedConfig;
pub use migrate::{Migration, migrate};
pub use reloaded::{ReloadReport, ReloadState};
pub use sections::{AgentConfig, HaftConfig, McpConfig, ToolsConfig};
#[cfg(feature = "watch")]
pub use watch::ConfigWatch;

pub(crate) use absent::refuse;
#[cfg(feature = "policy")]
pub(crate) use aliases::named;
pub(crate) use followers::{Followers, Swap};
pub(crate) use reload_keys::merged;
#[cfg(feature = "watch")]
pub(crate) use watch::ConfigUser;
