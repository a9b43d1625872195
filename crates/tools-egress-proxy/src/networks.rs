//! The networks of all sessions, each with its endpoint. A network is created for the first command
//! that needs it and ends with the session.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};

use tools_core::{CallContext, Locked as _, SessionId};
use tools_egress::guard::{Guard, SystemResolver};
use tools_sandbox::kernel::{NetworkGateway, NetworkLease};

use crate::EgressSettings;
use crate::network_lease::EndpointLease;
use crate::session_network::SessionNetwork;

/// Number of networks from which on those without a running command are removed before another is
/// made. A removed network is made anew when its session needs it.
const MAX_IDLE: usize = 32;

/// The networks of all sessions. Connections go to addresses that the guard considers public, and
/// to private addresses only if a rule names them.
pub struct SessionNetworks {
    settings: Arc<EgressSettings>,
    guard: Guard,
    sessions: Mutex<HashMap<SessionId, Arc<SessionNetwork>>>,
}

impl std::fmt::Debug for SessionNetworks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionNetworks").field("sessions", &self.sessions.locked().len()).finish_non_exhaustive()
    }
}

impl SessionNetworks {
    /// None yet: each is made at the first command of its session.
    pub fn new(settings: EgressSettings) -> Self {
        let guard = Guard::new(Arc::new(SystemResolver::new()));
        Self { settings: Arc::new(settings), guard, sessions: Mutex::default() }
    }

    /// Ends the network of a session. Programs that still run in it lose their network access.
    pub fn end(&self, session: &SessionId) {
        let ended = self.sessions.locked().remove(session);
        drop(ended);
    }

    fn outlet(&self, session: &SessionId) -> io::Result<Arc<SessionNetwork>> {
        let mut sessions = self.sessions.locked();
        // A host may run each call in a runtime of its own, with which an endpoint goes.
        if let Some(outlet) = sessions.get(session).filter(|outlet| outlet.endpoint.is_running()) {
            return Ok(Arc::clone(outlet));
        }
        if sessions.len() >= MAX_IDLE {
            sessions.retain(|_, outlet| !outlet.keeper.is_idle());
        }
        let outlet = Arc::new(SessionNetwork::new(Arc::clone(&self.settings), self.guard.clone(), session)?);
        sessions.insert(session.clone(), Arc::clone(&outlet));
        Ok(outlet)
    }
}

impl NetworkGateway for SessionNetworks {
    fn open(&self, line: &str, cx: &CallContext) -> Option<Arc<dyn NetworkLease>> {
        let outlet = match self.outlet(cx.session()) {
            Ok(outlet) => outlet,
            Err(error) => {
                // On a machine that allows no namespaces this happens for every command, and `haft
                // doctor` reports it.
                if matches!(error.kind(), io::ErrorKind::QuotaExceeded | io::ErrorKind::PermissionDenied) {
                    tracing::debug!(%error, "there is no network of an own for commands");
                } else {
                    tracing::warn!(%error, "there is no network of an own for commands");
                }
                return None;
            }
        };
        outlet.serve(&self.settings.rules.load().loopback_ports());
        let number = outlet.keeper.begin(line, cx);
        Some(Arc::new(EndpointLease::new(outlet, number)))
    }
}
