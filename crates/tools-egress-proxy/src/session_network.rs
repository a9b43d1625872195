//! The network of one session, and what is served in it: the endpoint through which commands reach
//! hosts, and the services of this machine that rules allow.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Arc, Mutex};

use tools_core::{Locked as _, SessionId};
use tools_egress::endpoint::{Door, Endpoint, Gate, PublishedPort};
use tools_egress::guard::{Guard, Host};
use tools_egress::request::Target;
use tools_sandbox::kernel::NetworkNamespace;

use crate::EgressSettings;
use crate::keeper::SessionKeeper;
use crate::session_loopback::SessionLoopback;

/// The network of a session and what is served in it.
pub(crate) struct SessionNetwork {
    pub(crate) network: Arc<NetworkNamespace>,
    pub(crate) port: u16,
    pub(crate) gate: Arc<Gate>,
    pub(crate) keeper: Arc<SessionKeeper>,
    pub(crate) endpoint: Endpoint,
    /// Ports of this machine that a rule allows, served in the network under the same numbers.
    services: Mutex<Vec<(u16, Endpoint)>>,
}

impl SessionNetwork {
    pub(crate) fn new(settings: Arc<EgressSettings>, guard: Guard, session: &SessionId) -> io::Result<Self> {
        let (network, listener) = NetworkNamespace::create_listening()?;
        let network = Arc::new(network);
        let port = listener.local_addr()?.port();
        let keeper = Arc::new(SessionKeeper::new(settings, session.clone()));
        let gate = Arc::new(Gate::new(guard, Arc::clone(&keeper) as _));
        let endpoint = Endpoint::start(listener, Door::Proxy, Arc::clone(&gate))?;
        Ok(Self { network, port, gate, keeper, endpoint, services: Mutex::default() })
    }

    /// Serves exactly the ports that rules allow now. A port on which a command already listens
    /// stays with the command.
    pub(crate) fn serve(&self, ports: &[u16]) {
        let mut services = self.services.locked();
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

    /// Publishes a port of the network on 127.0.0.1 of this machine until the returned endpoint is
    /// dropped.
    ///
    /// # Errors
    /// If the port of this machine cannot be bound, or if the gate itself listens on the port in
    /// the network.
    pub(crate) fn publish(&self, port: u16, command: u64, by: &str) -> io::Result<Endpoint> {
        let services = self.services.locked();
        if port == self.port || services.iter().any(|(served, _)| *served == port) {
            return Err(io::Error::other("the gate itself listens on it in the commands' network"));
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let inside = Arc::new(SessionLoopback(Arc::clone(&self.network)));
        let port = PublishedPort { port, command, by: by.to_owned(), inside };
        Endpoint::publish(listener, port, Arc::clone(&self.keeper) as _)
    }
}
