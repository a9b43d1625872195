//! The tools of MCP servers as an executor.
//!
//! A server over stdio is a confined child process that belongs to a session and ends with it. A
//! server over streamable HTTP is reached at the address that the configuration names and at no
//! other, with a session of its own for each of ours. What a server says about its tools is pinned
//! when it is first seen: later changes are held until a person has reviewed them. What it answers
//! is untrusted text of limited size. [`confined_launcher`] holds a server to what its section
//! says, [`launcher`] to what commands are held to; a host with folders, rules and a gate of its
//! own writes a [`Launcher`] over [`Launch`].
//! Whether a call may run is decided by gates.

mod config;
mod error;
mod naming;

pub mod pins;

mod answer;
mod child;
mod confined;
mod connection;
mod credential;
#[cfg(feature = "entries")]
mod entries;
mod executor;
mod forms;
mod handler;
#[cfg(feature = "http")]
mod http;
mod launch;
mod listing;
mod log_text;
#[cfg(feature = "http")]
mod oauth;
mod prepared;
mod servers;
mod slots;
mod transport;

pub use config::{
    Grant, McpServerConfig, NetworkAccess, OAuthConfig, PinMode, Server, ServerConfigError, WorkspaceAccess, compile,
};
pub use confined::confined_launcher;
pub use credential::{Secret, TokenReader};
#[cfg(feature = "entries")]
pub use entries::{EntryError, ForeignEntries, add_server, foreign_servers, remove_server};
pub use error::{McpError, McpErrorCode};
pub use executor::McpTools;
pub use launch::{Launch, LaunchFolders, launcher};
pub use listing::{HoldReason, Listing};
#[cfg(feature = "http")]
pub use oauth::{
    Begun, ClientKeys, LoginError, LoginRequest, LoginStore, LoginSummary, PendingLogin, Scopes, ServerLogin,
};
pub use prepared::{Launcher, PreparedChild, PreparedRemote, PreparedServer};
pub use servers::{Introductions, McpServers, Report};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
