//! The tools of MCP servers as an executor.
//!
//! A server over stdio is a confined child process that belongs to a session and ends with it. What
//! a server says about its tools is pinned when it is first seen: later changes are held until a
//! person has reviewed them. What it answers is untrusted text of limited size. Which folders a
//! server sees and how it is confined is decided by whoever holds the [`McpServers`]; whether a
//! call may run is decided by gates.

mod config;
mod error;
mod naming;

pub mod pins;

mod answer;
mod child;
mod connection;
mod executor;
mod handler;
mod listing;
mod servers;
mod slots;
mod transport;

pub use config::{McpServerConfig, NetworkAccess, PinMode, Server, ServerConfigError, WorkspaceAccess, compile};
pub use error::{McpError, McpErrorCode};
pub use executor::McpTools;
pub use listing::{Held, Listing};
pub use naming::{model_name, names};
pub use servers::{Introduced, McpServers, Report};
pub use slots::{Launcher, Prepared, Way};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
