//! Configuration: one TOML text, one struct per crate, errors that name key, line and remedy.

mod absent;
#[cfg(feature = "policy")]
mod aliases;
mod embedding;
mod environment;
mod error;
mod load;
mod migrate;
mod overlay;
mod readable;
mod sections;
mod source;
mod typed;

pub mod places;

pub use absent::AbsentSection;
pub use embedding::EmbeddingConfig;
pub use environment::unknown_variables;
pub use error::{ConfigError, LoadError, Place};
pub use load::LoadedConfig;
pub use migrate::{Migration, migrate};
pub use readable::{Readable, ValueFault};
pub use sections::{AgentConfig, HaftConfig, McpConfig, ToolsConfig};

pub(crate) use absent::refuse;
#[cfg(feature = "policy")]
pub(crate) use aliases::named;
#[cfg(feature = "watch")]
pub(crate) use overlay::Overlays;
