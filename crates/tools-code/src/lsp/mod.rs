//! The language server layer: definitions, uses and hover text of a name. A server is a child
//! process, confined like a command. The first call that needs it starts it, and it ends with the
//! tool.

mod client;
mod frame;
mod launch;
mod servers;

pub(crate) use client::Place;
pub use launch::LaunchConfinement;
pub(crate) use servers::{NameAnswer, NameQuery, Servers};
