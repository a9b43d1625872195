//! The tools of MCP servers as an executor.
//!
//! A server over stdio is a confined child process that belongs to a session and ends with it. A
//! server over streamable HTTP is contacted only at its configured address, with a separate session
//! for each of ours. Definitions of tools are pinned when they are first seen: later changes are
//! held until a person has reviewed them. Answers are untrusted text of limited size.
//! [`confined_launcher`] confines a server as its section says, [`launcher`] as commands are
//! confined; a host with its own folders, rules and gate writes a [`Launcher`] over [`Launch`].
//! Gates decide whether a call may run.

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
    ClientKeys, LoginError, LoginRequest, LoginStore, LoginSummary, PendingLogin, Scopes, ServerLogin, StartedLogin,
};
pub use prepared::{Launcher, PreparedChild, PreparedRemote, PreparedServer};
pub use servers::{Introductions, McpServers, Report};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
