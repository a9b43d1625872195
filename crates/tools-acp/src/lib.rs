//! Agent Client Protocol (version 1): editors start an agent as a process and communicate with it
//! in JSON-RPC over its standard input and output.
//!
//! This crate implements only the protocol. A [`Conversation`], opened by an [`AcpHost`], answers
//! prompts: one for each session, in the folder that the client names. A conversation reports
//! events through a [`ClientView`], which sends them as notifications in the right order, and asks
//! the person through it.
//!
//! The wire types are this crate's own: the published Rust crates enable features of `serde_json`
//! that change the order of keys for every crate of a build. They are the peer in the tests of
//! `interop/acp`, which are a separate workspace.

mod config;

mod host;
mod modes;
mod session_event;

mod rpc;
mod wire;

mod calls;
mod permission;
mod prompt;
mod terminal;
mod watch;

mod connection;
mod serve;
mod session;

pub use config::{AcpConfig, TerminalUse};
pub use host::{AcpHost, Conversation, OpenConversation, OpenError, PromptEnd, Resume, SessionRequest, SessionSummary};
pub use modes::{Mode, Modes};
pub use serve::{InitializeRequest, serve, serve_stdio};
pub use session_event::{SessionEvent, Severity};
pub use terminal::{Viewer, show_in_terminal};
pub use watch::ClientView;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
