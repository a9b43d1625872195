//! The networks of all sessions, each with its endpoint: made at the first command that needs one,
//! gone with the session.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tools_core::{CallContext, SessionId};
use tools_egress::endpoint::{Door, Endpoint, Gate};
use tools_egress::guard::{Guard, Host, SystemResolver};
use tools_egress::request::Target;
use tools_sandbox::kernel::NetworkNamespace;
use tools_shell::{Passage, WayOut};

use super::keeper::{SessionKeeper, SharedKeeper};
use super::passage::OwnPassage;

/// Networks of sessions that run no command; above that they go and are made anew.
const MAX_IDLE: usize = 32;

/// The networks.
pub(crate) struct Outlets {
    pub(crate) common: Arc<SharedKeeper>,
    guard: Guard,
    sessions: Mutex<HashMap<SessionId, Arc<Outlet>>>,
}

/// The network of a session and what is served in it.
pub(super) struct Outlet {
    pub(super) network: Arc<NetworkNamespace>,
    pub(super) port: u16,
    pub(super) gate: Arc<Gate>,
    pub(super) keeper: Arc<SessionKeeper>,
    endpoint: Endpoint,
    /// Ports of this machine that a rule allows: they are served under the same numbers.
    services: Mutex<Vec<(u16, Endpoint)>>,
}

impl std::fmt::Debug for Outlets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outlets").field("sessions", &self.lock().len()).finish_non_exhaustive()
    }
}

impl Outlets {
    pub(crate) fn new(common: SharedKeeper) -> Self {
        let guard = Guard::new(Arc::new(SystemResolver::new()));
        Self { common: Arc::new(common), guard, sessions: Mutex::default() }
    }

    /// Ends the network of a session. What still runs in it has no way out any more.
    pub(crate) fn end(&self, session: &SessionId) {
        let ended = self.lock().remove(session);
        drop(ended);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<Outlet>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn outlet(&self, session: &SessionId) -> io::Result<Arc<Outlet>> {
        let mut sessions = self.lock();
        // A host may run each call in a runtime of its own, with which an endpoint goes.
        if let Some(outlet) = sessions.get(session).filter(|outlet| outlet.endpoint.is_running()) {
            return Ok(Arc::clone(outlet));
        }
        if sessions.len() >= MAX_IDLE {
            sessions.retain(|_, outlet| !outlet.keeper.is_idle());
        }
        let outlet = Arc::new(Outlet::new(Arc::clone(&self.common), self.guard.clone(), session)?);
        sessions.insert(session.clone(), Arc::clone(&outlet));
        Ok(outlet)
    }
}

impl Outlet {
    fn new(common: Arc<SharedKeeper>, guard: Guard, session: &SessionId) -> io::Result<Self> {
        let network = Arc::new(NetworkNamespace::create()?);
        let listener = network.listen(0)?;
        let port = listener.local_addr()?.port();
        let keeper = Arc::new(SessionKeeper::new(common, session.clone()));
        let gate = Arc::new(Gate::new(guard, Arc::clone(&keeper) as _));
        let endpoint = Endpoint::start(listener, Door::Proxy, Arc::clone(&gate))?;
        Ok(Self { network, port, gate, keeper, endpoint, services: Mutex::default() })
    }

    /// Serves the ports that rules allow now, and no others. A port that a command has taken stays
    /// its own.
    fn serve(&self, ports: &[u16]) {
        let mut services = self.services.lock().unwrap_or_else(PoisonError::into_inner);
        services.retain(|(port, endpoint)| ports.contains(port) && endpoint.is_running());
        let missing: Vec<u16> =
            ports.iter().copied().filter(|port| services.iter().all(|(served, _)| served != port)).collect();
        for port in missing {
            let target = Target { host: Host::Name("localhost".to_owned()), port };
            let served = self
                .network
                .listen(port)
                .and_then(|listener| Endpoint::start(listener, Door::To(target), Arc::clone(&self.gate)));
            match served {
                Ok(endpoint) => services.push((port, endpoint)),
                Err(error) => tracing::warn!(%error, port, "a service of this machine is not there for commands"),
            }
        }
    }
}

impl WayOut for Outlets {
    fn open(&self, line: &str, cx: &CallContext) -> Option<Arc<dyn Passage>> {
        let outlet = match self.outlet(cx.session()) {
            Ok(outlet) => outlet,
            Err(error) => {
                tracing::warn!(%error, "there is no network of an own for commands");
                return None;
            }
        };
        outlet.serve(&self.common.rules.load().loopback_ports());
        let number = outlet.keeper.begin(line, cx);
        Some(Arc::new(OwnPassage::new(outlet, number)))
    }
}
