//! Address of a server: a URL of the operator's configuration, parsed once, and the headers that
//! may be sent to it.

use std::net::IpAddr;

use hyper::header::{self, HeaderName, HeaderValue};
use tools_core::Verdict;
use tools_egress::guard::{Grant, Guard, Host, Refusal, VettedHost};
use tools_egress::rules::{HostRules, RuleText};
use url::Url;

use crate::McpServerConfig;

/// Headers that the protocol or the connection sets.
const RESERVED: [&str; 11] = [
    "accept",
    "accept-encoding",
    "connection",
    "content-length",
    "content-type",
    "expect",
    "host",
    "last-event-id",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// Address of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) is_tls: bool,
    pub(crate) host: Host,
    port: u16,
    /// Value of the header `Host`.
    pub(crate) authority: String,
    /// Path and query.
    pub(crate) target: String,
    /// Permission for a non-public address that the operator named.
    grant: Option<Grant>,
}

impl Place {
    /// Parses the URL of a server. `http` is only allowed for this machine; a non-public address is
    /// allowed if it is written literally, or by `is_private`.
    pub(crate) fn parse(text: &str, is_private: bool) -> Result<Self, String> {
        let read = Self::read(text)?;
        if !read.is_tls && !is_this_machine(&read.host) {
            return Err("by `http` only this machine is reached: expected `https`".to_owned());
        }
        let grant = granted(&read.host, read.port, is_private)?;
        Ok(Self { grant, ..read })
    }

    /// Parses a URL that the server at `own` names. Nobody configured it: a non-public address is
    /// allowed only if the server itself has it, or by `is_private`.
    pub(crate) fn named(text: &str, own: &Self, is_private: bool) -> Result<Self, String> {
        let read = Self::read(text)?;
        if (read.is_tls, &read.host, read.port) == (own.is_tls, &own.host, own.port) {
            return Ok(Self { grant: own.grant.clone(), ..read });
        }
        if is_private {
            return Self::parse(text, true);
        }
        if read.is_tls {
            return Ok(read);
        }
        Err("expected `https`; on this machine `http` is for servers with `private = true`".to_owned())
    }

    fn read(text: &str) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|error| format!("expected a URL: {error}"))?;
        let is_tls = match url.scheme() {
            "https" => true,
            "http" => false,
            other => return Err(format!("expected `https` or `http`, found `{}`", other.escape_debug())),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err("expected no name and no password in the URL: use `token_env` or `header_env`".to_owned());
        }
        if url.fragment().is_some() {
            return Err("expected no `#` in the URL".to_owned());
        }
        let written = url.host_str().ok_or("expected a host in the URL")?;
        let host = Host::parse(written).map_err(|refusal| refusal.to_string())?;
        let port = url.port_or_known_default().ok_or("expected a port in the URL")?;
        let authority = url.port().map_or_else(|| host.to_string(), |port| format!("{host}:{port}"));
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        let target = format!("{}{query}", url.path());
        Ok(Self { is_tls, host, port, authority, target, grant: None })
    }

    /// Resolves to the addresses that may be contacted.
    pub(crate) async fn vetted(&self, guard: &Guard) -> Result<VettedHost, Refusal> {
        match &self.grant {
            Some(grant) => guard.vet_granted(grant).await,
            None => guard.vet(&self.host, self.port).await,
        }
    }
}

fn is_this_machine(host: &Host) -> bool {
    match host {
        Host::Address(IpAddr::V4(address)) => address.is_loopback(),
        Host::Address(IpAddr::V6(address)) => address.is_loopback(),
        Host::Name(_) => host.is_within("localhost"),
    }
}

/// The permission of a URL that the operator wrote, if it names a non-public address.
fn granted(host: &Host, port: u16, is_private: bool) -> Result<Option<Grant>, String> {
    let rule =
        RuleText { pattern: format!("{host}:{port}"), program: None, action: Verdict::Allow, private: is_private };
    let rules = HostRules::compile("url", &[rule]).map_err(|fault| fault.problem)?;
    Ok(rules.about(host, port, None).and_then(|rule| rule.grant(port)))
}

/// Checks address and headers of a server.
pub(crate) fn check(config: &McpServerConfig) -> Result<(), (&'static str, String)> {
    Place::parse(&config.url, config.private).map_err(|problem| ("url", problem))?;
    let has_token = !config.token_env.is_empty() || !config.token_command.is_empty();
    for (name, value) in &config.headers {
        named(name, has_token).map_err(|problem| ("headers", problem))?;
        if HeaderValue::from_str(value).is_err() {
            return Err(("headers", format!("the value of `{name}` cannot stand in a header")));
        }
    }
    for (name, variable) in &config.header_env {
        named(name, has_token).map_err(|problem| ("header_env", problem))?;
        if variable.is_empty() || variable.contains(['=', '\0']) {
            return Err(("header_env", format!("`{}` is not a valid name of a variable", variable.escape_debug())));
        }
        if config.headers.keys().any(|other| other.eq_ignore_ascii_case(name)) {
            return Err(("header_env", format!("`{name}` is in `headers` too")));
        }
    }
    Ok(())
}

/// Checks that a header may be set.
fn named(name: &str, has_token: bool) -> Result<HeaderName, String> {
    let header =
        HeaderName::try_from(name).map_err(|_| format!("`{}` is not a valid name of a header", name.escape_debug()))?;
    let is_protocol = header.as_str().starts_with("mcp-");
    if is_protocol || RESERVED.contains(&header.as_str()) {
        return Err(format!("`{name}` is set by the protocol"));
    }
    if has_token && header == header::AUTHORIZATION {
        return Err("a token sets `Authorization` already".to_owned());
    }
    Ok(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_public_is_granted_only_where_it_is_written() {
        let granted = |url: &str, private: bool| Place::parse(url, private).unwrap().grant.is_some();
        assert!(granted("http://127.0.0.1:8080/mcp", false) && granted("http://[::1]:8080/mcp", false));
        assert!(granted("http://localhost/mcp", false) && granted("https://10.0.0.1/mcp", false));
        assert!(granted("https://tools.internal/mcp", false));
        assert!(!granted("https://example.com/mcp", false) && granted("https://example.com/mcp", true));
    }

    #[test]
    fn what_a_server_names_is_not_what_the_operator_wrote() {
        let check = |own: &str, private: bool, named: &str, expected: Option<bool>| {
            let own = Place::parse(own, private).unwrap();
            let found = Place::named(named, &own, private).ok().map(|place| place.grant.is_some());
            assert_eq!(found, expected, "{named}");
        };
        let public = "https://example.com/mcp";
        check(public, false, "https://auth.example.com/x", Some(false));
        check(public, false, "https://example.com/x", Some(false));
        check(public, false, "https://127.0.0.1/x", Some(false));
        check(public, false, "https://tools.internal/x", Some(false));
        for wrong in
            ["http://example.com/x", "http://127.0.0.1/x", "http://localhost/x", "file:///x", "javascript:alert(1)"]
        {
            check(public, false, wrong, None);
        }
        let here = "http://127.0.0.1:8080/mcp";
        check(here, false, "http://127.0.0.1:8080/.well-known/x", Some(true));
        check(here, false, "http://127.0.0.1:8081/x", None);
        check(here, false, "https://127.0.0.1:8080/x", Some(false));
        check(here, true, "http://localhost:8081/x", Some(true));
        check(here, true, "http://10.0.0.1/x", None);
        check(here, true, "https://user:a@10.0.0.1/x", None);
        check("https://10.0.0.1/mcp", false, "https://10.0.0.1/x", Some(true));
        check("https://10.0.0.1/mcp", false, "https://10.0.0.2/x", Some(false));
    }

    #[test]
    fn an_address_is_read_once() {
        let place = Place::parse("https://EXAMPLE.com:8443/a/mcp?team=1", false).unwrap();
        assert_eq!((place.authority.as_str(), place.target.as_str()), ("example.com:8443", "/a/mcp?team=1"));
        assert_eq!((place.port, place.is_tls), (8443, true));
        assert_eq!(Place::parse("https://example.com", false).unwrap().target, "/");
    }
}
