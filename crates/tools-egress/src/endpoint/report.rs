//! Reports a connection, however it ends.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::keeper::{Caller, Connection, Keeper, Permit};
use super::relay::ByteCounts;
use crate::request::Target;

/// A connection that is reported on drop.
pub(super) struct ConnectionReport {
    keeper: Arc<dyn Keeper>,
    pub(super) connection: Connection,
    pub(super) passed: ByteCounts,
    since: Instant,
}

impl ConnectionReport {
    pub(super) fn new(keeper: Arc<dyn Keeper>, target: Target, caller: Caller) -> Self {
        let permit = Permit::Refused { by: "the command ended".to_owned() };
        let connection = Connection {
            target,
            address: None,
            caller,
            permit,
            problem: None,
            is_inbound: false,
            sent: 0,
            received: 0,
            duration: Duration::ZERO,
        };
        Self { keeper, connection, passed: ByteCounts::default(), since: Instant::now() }
    }

    /// Sets the reason of an abnormal end, and returns it.
    pub(super) fn broke_off(&mut self, why: String) -> String {
        self.connection.problem = Some(why.clone());
        why
    }
}

impl Drop for ConnectionReport {
    fn drop(&mut self) {
        self.connection.sent = self.passed.sent.load(Ordering::Relaxed);
        self.connection.received = self.passed.received.load(Ordering::Relaxed);
        self.connection.duration = self.since.elapsed();
        self.keeper.ended(&self.connection);
    }
}
