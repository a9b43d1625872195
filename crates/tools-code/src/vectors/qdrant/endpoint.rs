//! Where the server is: a base URL, read once.

use std::net::SocketAddr;

use url::{Host, Url};

/// Where the server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Endpoint {
    pub(super) is_tls: bool,
    pub(super) host: String,
    pub(super) port: u16,
    /// The value of the `Host` header, which is also shown in messages.
    pub(super) authority: String,
    /// What stands before every path, without a slash at its end.
    pub(super) prefix: String,
    is_loopback: bool,
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
            return Err("expected no name and no password in the URL: use `key_env`".to_owned());
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

    /// The addresses of the host; of a name of this machine only those of this machine.
    pub(super) async fn addresses(&self) -> Vec<SocketAddr> {
        let found = tokio::net::lookup_host((self.host.as_str(), self.port)).await;
        let found = found.into_iter().flatten();
        found.filter(|address| !self.is_loopback || address.ip().is_loopback()).collect()
    }
}

/// Whether a base URL can be used.
///
/// # Errors
/// Why not.
pub(crate) fn check_url(text: &str, allow_http: bool) -> Result<(), String> {
    Endpoint::parse(text, allow_http).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_base_url() {
        for fine in ["http://127.0.0.1:6333", "http://localhost:6333/", "http://[::1]:1", "https://q.test/x/"] {
            assert!(Endpoint::parse(fine, false).is_ok(), "{fine}");
        }
        for refused in ["http://q.test:6333", "ftp://q.test", "q.test", "https://u:p@q.test", "https://q.test/?k=1", ""]
        {
            assert!(Endpoint::parse(refused, false).is_err(), "{refused}");
        }
        assert_eq!(Endpoint::parse("http://q.test:6333/a/", true).unwrap().prefix, "/a");
    }
}
