//! The network access of one command, which ends with the command.

use std::ffi::OsString;
use std::io;
use std::sync::{Arc, Mutex};

use tools_core::Locked as _;
use tools_egress::endpoint::Endpoint;
use tools_sandbox::kernel::NetworkLease;
use tools_sandbox::kernel::NetworkNamespace;

use crate::session_network::SessionNetwork;
use crate::variables::variables;

/// Network access of a command through the endpoint of its session.
pub(crate) struct EndpointLease {
    outlet: Arc<SessionNetwork>,
    number: u64,
    published: Mutex<Vec<Endpoint>>,
}

impl EndpointLease {
    pub(crate) fn new(outlet: Arc<SessionNetwork>, number: u64) -> Self {
        Self { outlet, number, published: Mutex::default() }
    }
}

impl NetworkLease for EndpointLease {
    fn network(&self) -> Arc<NetworkNamespace> {
        Arc::clone(&self.outlet.network)
    }

    fn variables(&self) -> Vec<(OsString, OsString)> {
        variables(self.outlet.port)
    }

    fn started(&self, supervisor: i32) {
        self.outlet.keeper.started(self.number, supervisor);
    }

    fn publish(&self, port: u16, by: &str) -> io::Result<()> {
        let endpoint = self.outlet.publish(port, self.number, by)?;
        self.published.locked().push(endpoint);
        Ok(())
    }

    fn refused(&self) -> Vec<String> {
        self.outlet.keeper.refused(self.number)
    }
}

impl Drop for EndpointLease {
    fn drop(&mut self) {
        self.outlet.keeper.end(self.number);
        self.outlet.gate.forget(self.number);
    }
}
