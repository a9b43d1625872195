//! How much is taken from clients, and for which hosts.

use std::{net::SocketAddr, time::Duration};

use crate::{ServerName, Tls};

/// Settings of the server.
#[derive(Debug, Clone)]
pub struct HttpSettings {
    /// Names under which the server is reached, besides its own address: `host` or `host:port`.
    pub hosts: Vec<String>,
    /// Name of this server among several that serve the same guests; `None` for the only one.
    pub name: Option<ServerName>,
    /// The certificate; without one only loopback addresses are served.
    pub tls: Option<Tls>,
    /// The longest body of a request, in bytes.
    pub max_body: usize,
    /// Sessions that a guest may have at once.
    pub max_sessions: usize,
    /// Connections that are served at once; more are closed as they come.
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
    /// The values of `Host` that are answered: the address itself, the names of loopback where it
    /// is one, and those that were given. Another one comes from a page whose name was made to lead
    /// here.
    pub(crate) fn answered_hosts(&self, address: SocketAddr) -> Vec<String> {
        let mut hosts = vec![address.to_string()];
        if address.ip().is_loopback() {
            hosts.extend(["localhost", "127.0.0.1", "[::1]"].map(|name| format!("{name}:{}", address.port())));
        }
        hosts.extend(self.hosts.iter().cloned());
        hosts
    }

    /// The values of `Origin` that are answered: pages that this server itself would have served.
    /// There are none, so no page of the web gets in; a client that names its server as origin
    /// does.
    pub(crate) fn answered_origins(&self, hosts: &[String]) -> Vec<String> {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        // Without a port every port would be meant, and other servers have those.
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
