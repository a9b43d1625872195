//! Network access of commands and servers whose network is gated: the interface between their
//! crates and the owner of the endpoint.

use std::{ffi::OsString, io, sync::Arc};

use tools_core::CallContext;

use super::NetworkNamespace;

/// Opens network access for commands. Called once for each command, before it starts; implemented
/// by hosts that have an endpoint.
pub trait NetworkGateway: Send + Sync {
    /// Network access for a command of this session. `None` if it is unavailable here: then the
    /// command has no network.
    fn open(&self, line: &str, cx: &CallContext) -> Option<Arc<dyn NetworkLease>>;
}

/// Network access of one command. It ends when dropped.
pub trait NetworkLease: Send + Sync {
    /// The network of the session.
    fn network(&self) -> Arc<NetworkNamespace>;

    /// Environment variables that direct programs to the endpoint.
    fn variables(&self) -> Vec<(OsString, OsString)>;

    /// Reports the supervisor process below which the command runs from now on.
    fn started(&self, supervisor: i32);

    /// Makes a port of that network reachable on 127.0.0.1 of this machine under the same number,
    /// until this value is dropped. `by` names the rule that allows it, or the person who agreed.
    ///
    /// # Errors
    /// If the port of this machine is taken or may not be used.
    fn publish(&self, port: u16, by: &str) -> io::Result<()>;

    /// The refused connections of the command so far, one sentence each, for its result.
    fn refused(&self) -> Vec<String>;
}
