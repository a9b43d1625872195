//! Where a server is: a base URL, read once.

use std::net::{IpAddr, SocketAddr};

use url::{Host, Url};

/// Where a server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Endpoint {
    pub(super) is_tls: bool,
    pub(super) host: String,
    pub(super) port: u16,
    /// As it stands in the header `Host`.
    pub(super) authority: String,
    /// The path in front of that of the interface, without a slash at its end.
    pub(super) prefix: String,
    /// Only addresses of this machine are dialled.
    pub(super) is_loopback: bool,
}

impl Endpoint {
    /// Reads a base URL. `http` leads to this machine only, unless `allow_http`.
    pub(super) fn parse(text: &str, allow_http: bool) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|error| format!("expected a URL: {error}"))?;
        let is_tls = match url.scheme() {
            "https" => true,
            "http" => false,
            other => return Err(format!("expected `https` or `http`, found `{other}`")),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err("expected no name and no password in the URL: use `key_env` or `key_command`".to_owned());
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("expected no query in the URL".to_owned());
        }
        let (host, is_loopback) = match url.host() {
            Some(Host::Ipv4(address)) => (address.to_string(), address.is_loopback()),
            Some(Host::Ipv6(address)) => (address.to_string(), address.is_loopback()),
            Some(Host::Domain(name)) => (name.to_owned(), name == "localhost" || name.ends_with(".localhost")),
            None => return Err("expected a host in the URL".to_owned()),
        };
        if !is_tls && !is_loopback && !allow_http {
            return Err("by `http` only this machine is reached, unless `allow_http = true`".to_owned());
        }
        let port = url.port_or_known_default().unwrap_or(if is_tls { 443 } else { 80 });
        let shown = url.host_str().unwrap_or(&host);
        let authority = url.port().map_or_else(|| shown.to_owned(), |port| format!("{shown}:{port}"));
        let prefix = url.path().trim_end_matches('/').to_owned();
        Ok(Self { is_tls, host, port, authority, prefix, is_loopback })
    }

    /// The path of an interface at this server.
    pub(super) fn path(&self, path: &str) -> String {
        // Both spellings are in use: with the version in the base URL and without.
        let prefix = if path.starts_with("v1/") {
            self.prefix.strip_suffix("/v1").unwrap_or(&self.prefix)
        } else {
            &self.prefix
        };
        format!("{prefix}/{path}")
    }

    /// The addresses of the host; of a name of this machine only those of this machine.
    pub(super) async fn addresses(&self) -> Result<Vec<SocketAddr>, String> {
        if let Ok(address) = self.host.parse::<IpAddr>() {
            return Ok(vec![(address, self.port).into()]);
        }
        let found = tokio::net::lookup_host((self.host.as_str(), self.port)).await;
        let found = found.map_err(|_| format!("the name `{}` is not found", self.host))?;
        let found: Vec<SocketAddr> = found.filter(|address| !self.is_loopback || address.ip().is_loopback()).collect();
        if found.is_empty() { Err(format!("the name `{}` has no address", self.host)) } else { Ok(found) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_base_url() {
        let path = |url: &str, path: &str| Endpoint::parse(url, false).map(|endpoint| endpoint.path(path));
        assert_eq!(path("https://a.test/v1/", "chat/completions").unwrap(), "/v1/chat/completions");
        assert_eq!(path("https://a.test", "v1/messages").unwrap(), "/v1/messages");
        assert_eq!(path("https://a.test/v1", "v1/messages").unwrap(), "/v1/messages");
        assert_eq!(path("https://a.test/x/v1/", "v1/messages").unwrap(), "/x/v1/messages");
        for local in ["http://127.0.0.1:1", "http://localhost:1/", "http://[::1]:1", "http://127.9.9.9"] {
            assert!(Endpoint::parse(local, false).unwrap().is_loopback, "{local}");
        }
        for refused in [
            "http://a.test",
            "http://127.0.0.1.a.test",
            "http://10.0.0.1",
            "ftp://a.test",
            "a.test",
            "https://u:p@a.test",
            "https://a.test/?k=1",
            "",
        ] {
            assert!(Endpoint::parse(refused, false).is_err(), "{refused}");
        }
        assert!(Endpoint::parse("http://10.0.0.1", true).is_ok());
        assert_eq!(Endpoint::parse("http://[::1]:7", false).unwrap().authority, "[::1]:7");
    }
}
