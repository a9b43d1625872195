//! Finds credentials in text, names their kind, replaces them with placeholders, and restores them
//! when a text goes back into a file.
//!
//! One pass over a text for keywords finds where a credential may be; a small scanner for each kind
//! of place then reads forward from there and checks the value. Every scanner is linear, and
//! bounded by the line except for private keys.

mod name;
mod table;
mod value;
mod words;
mod wordy;

mod commands;
mod keywords;
mod providers;

mod assignment;
mod columns;
mod command;
mod encoded;
mod header;
mod key_material;
mod manifest;
mod margin;
mod place;
mod program;
mod provider;
mod shapes;
mod unprefixed;
mod url;

mod config;
mod displayed_text;
mod extra_patterns;
mod finding;
mod forms;
mod known_values;
mod scan;

mod placeholder;
mod vault;

mod placement;
mod redact;
mod stream;

mod reader;
mod redactor;

mod events;
mod input;
mod intake;
mod layer;
mod live;
mod relay;

pub use config::{SecretsMode, SecurityConfig};
pub use extra_patterns::{ExtraPatterns, PatternError};
pub use finding::Finding;
pub use known_values::KnownValues;
pub use layer::SecretsLayer;
pub use live::{Board, LiveSecrets};
pub use name::is_credential;
pub use placeholder::UnknownPlaceholder;
pub use redact::{SecretRedactor, Tally};
pub use scan::scan;
pub use stream::{Piece, SecretStream};
pub use tools_core::is_credential_name;
pub use vault::SecretMove;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
