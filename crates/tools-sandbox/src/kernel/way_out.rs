//! The way out of commands and servers whose network is gated: what their crates need of whoever
//! runs the endpoint.

use std::{ffi::OsString, io, sync::Arc};

use tools_core::CallContext;

use super::NetworkNamespace;

/// Opens passages for commands. Called once for each command, before it starts; implemented by
/// hosts that have an endpoint.
pub trait WayOut: Send + Sync {
    /// A passage for a command of this session. `None` when there can be none here: the command has
    /// no network then.
    fn open(&self, line: &str, cx: &CallContext) -> Option<Arc<dyn Passage>>;
}

/// The way out of one command. It ends when dropped.
pub trait Passage: Send + Sync {
    /// The network of the session.
    fn network(&self) -> Arc<NetworkNamespace>;

    /// Environment variables that lead programs to the way out.
    fn variables(&self) -> Vec<(OsString, OsString)>;

    /// The command runs below this process from now on.
    fn started(&self, supervisor: i32);

    /// Makes a port of that network reachable on 127.0.0.1 of this machine under the same number,
    /// until the passage ends. `by` names the rule that allows it, or who agreed to it.
    ///
    /// # Errors
    /// When the machine's port is taken or not ours to take.
    fn publish(&self, port: u16, by: &str) -> io::Result<()>;

    /// What was refused to the command so far, one sentence each, for its result.
    fn refused(&self) -> Vec<String>;
}
