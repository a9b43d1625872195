//! The way out of one command: it ends with the command.

use std::ffi::OsString;
use std::sync::Arc;

use tools_sandbox::kernel::NetworkNamespace;
use tools_shell::Passage;

use super::outlet::Outlet;
use super::variables::variables;

/// A command's way out through the endpoint of its session.
pub(super) struct OwnPassage {
    outlet: Arc<Outlet>,
    number: u64,
}

impl OwnPassage {
    pub(super) fn new(outlet: Arc<Outlet>, number: u64) -> Self {
        Self { outlet, number }
    }
}

impl Passage for OwnPassage {
    fn network(&self) -> Arc<NetworkNamespace> {
        Arc::clone(&self.outlet.network)
    }

    fn variables(&self) -> Vec<(OsString, OsString)> {
        variables(self.outlet.port)
    }

    fn started(&self, supervisor: i32) {
        self.outlet.keeper.started(self.number, supervisor);
    }

    fn refused(&self) -> Vec<String> {
        self.outlet.keeper.refused(self.number)
    }
}

impl Drop for OwnPassage {
    fn drop(&mut self) {
        self.outlet.keeper.end(self.number);
        self.outlet.gate.forget(self.number);
    }
}
