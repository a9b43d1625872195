//! The layer of language servers: definitions, uses and what a name is, as the server of its
//! language knows it. A server is a child that is confined like a command, started by the first
//! call that needs it and ended with the tool.

mod client;
mod frame;
mod launch;
mod servers;

pub(crate) use client::Place;
pub use launch::LaunchConfinement;
pub(crate) use servers::{NameAnswer, NameQuery, Servers};
