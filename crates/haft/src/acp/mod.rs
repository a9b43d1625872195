//! Agents for editors: each session of the Agent Client Protocol is a toolbox in its own folder,
//! with an agent over it.

mod conversation;
mod desk;
mod host;
mod replay;
mod telling;

pub use host::{AcpAgent, AcpPlace, serve_acp};
