//! Configuration: one TOML text, one struct per crate, errors that name key, line and remedy.

mod environment;
mod error;
mod load;
mod source;

pub use error::{ConfigError, LoadError, Place};
pub use load::Loaded;
