//! Agent Client Protocol (version 1): editors start an agent as a process and talk to it in
//! JSON-RPC over its standard input and output.
//!
//! This crate is the protocol alone. What answers is a [`Conversation`] that an [`AcpHost`] opens:
//! for each session one, in the folder that the client names. A conversation tells what happens
//! through a [`ClientView`], which turns it into notifications in the right order, and asks the
//! person through it.
//!
//! The types of the wire are this crate's own: the published Rust crates switch on features of
//! `serde_json` that change the order of keys for every crate of a build. They are the other side
//! in the tests of `interop/acp`, which are a workspace of their own.

mod config;

mod happening;
mod host;
mod modes;

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
pub use happening::{SessionEvent, Severity};
pub use host::{AcpHost, Conversation, OpenConversation, OpenError, PromptEnd, Resume, SessionRequest, SessionSummary};
pub use modes::{Mode, Modes};
pub use serve::{InitializeRequest, serve, serve_stdio};
pub use terminal::{Viewer, show_in_terminal};
pub use watch::ClientView;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
