//! Interface to the owner of an endpoint: it identifies the commands behind connections, asks a
//! person, and keeps the record.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::request::Target;
use crate::rules::HostRules;

/// Called by an endpoint for each connection, from several tasks at once.
#[async_trait]
pub trait Keeper: Send + Sync + 'static {
    /// The program and command of the connection from this address. May block briefly.
    fn caller(&self, peer: SocketAddr) -> Caller;

    /// The rules in force.
    fn rules(&self) -> Arc<HostRules>;

    /// Maximum number of bytes sent to one host; `None` for no limit.
    fn most_sent(&self) -> Option<u64>;

    /// Decides a connection without a rule by asking a person: once for each target and command,
    /// while its connections wait. Refuses at once if nobody can be asked.
    async fn ask(&self, wanted: &UndecidedConnection) -> Permit;

    /// Called when a connection has ended or was refused.
    fn ended(&self, connection: &Connection);
}

/// Origin of a connection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caller {
    /// The name of the program; `None` if unknown.
    pub program: Option<String>,
    /// The number of its command, as counted by the keeper; `None` if unknown.
    pub command: Option<u64>,
}

/// A connection that no rule decides about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndecidedConnection {
    /// Destination.
    pub target: Target,
    /// Origin of the connection.
    pub caller: Caller,
    /// The rule that asks; `None` if there is none.
    pub rule: Option<String>,
}

/// A decision about a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permit {
    /// The connection is allowed.
    Allowed {
        /// Name of the rule, or of the person.
        by: String,
    },
    /// The connection is refused.
    Refused {
        /// Name of the rule.
        by: String,
    },
}

/// Record of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// Destination.
    pub target: Target,
    /// The connected address; `None` if there was no connection.
    pub address: Option<SocketAddr>,
    /// Origin of the connection.
    pub caller: Caller,
    /// The decision and its rule.
    pub permit: Permit,
    /// Reason why an allowed connection failed or broke off; `None` if it ended normally.
    pub problem: Option<String>,
    /// Whether it came from outside to a published port; its host is then the command's loopback
    /// interface.
    pub is_inbound: bool,
    /// Bytes sent to the host.
    pub sent: u64,
    /// Bytes received from it.
    pub received: u64,
    /// Duration of the connection.
    pub duration: Duration,
}
