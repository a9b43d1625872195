//! Credentials in text: finding them, naming their kind, putting placeholders in their place.
//!
//! One pass of an automaton over keywords finds where a credential may be; a small scanner per kind of place then reads
//! forward from there and checks the value. Every scanner is linear, and bounded by the line except for private keys.

mod name;
mod value;

mod assignment;
mod command;
mod header;
mod key_material;
mod provider;
mod url;

mod known;
mod redact;
mod scan;

pub use known::KnownValues;
pub use name::{is_credential, is_credential_name};
pub use redact::SecretRedactor;
pub use scan::{Finding, scan};
