//! Limits for clients, and the names of the server.

use std::{net::SocketAddr, time::Duration};

use crate::{ServerName, Tls};

/// Settings of the server.
#[derive(Debug, Clone)]
pub struct HttpSettings {
    /// Names under which the server is reached, besides its own address: `host` or `host:port`.
    pub hosts: Vec<String>,
    /// Name of this server among several that serve the same guests; `None` for the only one.
    pub name: Option<ServerName>,
    /// The certificate; without one only loopback addresses are allowed.
    pub tls: Option<Tls>,
    /// Maximum size in bytes of the body of a request.
    pub max_body: usize,
    /// Maximum number of sessions per guest.
    pub max_sessions: usize,
    /// Maximum number of open connections; further ones are closed at once.
    pub max_connections: usize,
    /// Time without requests after which a session ends.
    pub idle: Duration,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            hosts: vec![],
            name: None,
            tls: None,
            max_body: 4 << 20,
            max_sessions: 1000,
            max_connections: 4096,
            idle: Duration::from_mins(30),
        }
    }
}

impl HttpSettings {
    /// Accepted values of `Host`: the address itself, the loopback names if it is one, and the
    /// configured ones. Any other value indicates DNS rebinding.
    pub(crate) fn answered_hosts(&self, address: SocketAddr) -> Vec<String> {
        let mut hosts = vec![address.to_string()];
        if address.ip().is_loopback() {
            hosts.extend(["localhost", "127.0.0.1", "[::1]"].map(|name| format!("{name}:{}", address.port())));
        }
        hosts.extend(self.hosts.iter().cloned());
        hosts
    }

    /// Accepted values of `Origin`: those of pages that this server itself would have served. There
    /// are none, so web pages are refused; a client that sends its server as origin is accepted.
    pub(crate) fn answered_origins(&self, hosts: &[String]) -> Vec<String> {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        // Without a port it would match every port, and other servers use those.
        let has_port = |host: &&String| host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        hosts.iter().filter(has_port).map(|host| format!("{scheme}://{host}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_names_are_answered() {
        let check = |address: &str, given: &[&str], expected: &[&str]| {
            let hosts = given.iter().map(|&host| host.to_owned()).collect();
            let settings = HttpSettings { hosts, ..HttpSettings::default() };
            assert_eq!(settings.answered_hosts(address.parse().unwrap()), expected, "{address}");
        };
        check("127.0.0.1:80", &[], &["127.0.0.1:80", "localhost:80", "127.0.0.1:80", "[::1]:80"]);
        let settings = HttpSettings::default();
        let origins = settings.answered_origins(&["[::1]:80".into(), "tools.example".into(), "[::1]".into()]);
        assert_eq!(origins, ["http://[::1]:80"]);
        check("192.0.2.1:80", &["tools.example"], &["192.0.2.1:80", "tools.example"]);
    }
}
