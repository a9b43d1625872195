//! Whoever owns an endpoint: knows the commands behind connections, has a person to ask, and keeps
//! the record.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::request::Target;
use crate::rules::HostRules;

/// Called by an endpoint for each connection, from several tasks at once.
#[async_trait]
pub trait Keeper: Send + Sync + 'static {
    /// Which program of which command has the connection that comes from this address. May block
    /// for a moment.
    fn caller(&self, peer: SocketAddr) -> Caller;

    /// The rules in force.
    fn rules(&self) -> Arc<HostRules>;

    /// How many bytes may be sent to one host; `None` for no limit.
    fn most_sent(&self) -> Option<u64>;

    /// Decides what no rule does, by asking a person: once for each target and command, while its
    /// connections wait. Where nobody can be asked it refuses at once.
    async fn ask(&self, wanted: &UndecidedConnection) -> Permit;

    /// A connection has ended, or was refused.
    fn ended(&self, connection: &Connection);
}

/// Origin of a connection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caller {
    /// The name of the program; `None` when it is not known.
    pub program: Option<String>,
    /// The number of the command that it belongs to, as the keeper counts them; `None` when it is
    /// not known.
    pub command: Option<u64>,
}

/// A connection that no rule decides about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndecidedConnection {
    /// Destination.
    pub target: Target,
    /// By whom.
    pub caller: Caller,
    /// The rule that asks; `None` when there is none.
    pub rule: Option<String>,
}

/// A decision about a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permit {
    /// It goes on.
    Allowed {
        /// Name of the rule: a rule, or a person.
        by: String,
    },
    /// It does not.
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
    /// The address that was connected to; `None` when none was.
    pub address: Option<SocketAddr>,
    /// By whom.
    pub caller: Caller,
    /// The decision and its rule.
    pub permit: Permit,
    /// Reason why an allowed connection failed or broke off; `None` when it ended by itself.
    pub problem: Option<String>,
    /// Whether it came from outside to a port that is published; its host is the command's
    /// loopback interface then.
    pub is_inbound: bool,
    /// Bytes that went to the host.
    pub sent: u64,
    /// Bytes that came from it.
    pub received: u64,
    /// Duration of the connection.
    pub duration: Duration,
}
