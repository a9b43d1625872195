//! Patterns on web addresses, compared part by part: a host pattern never matches a path.

use tools_core::{Verdict, WebUrl};

use super::forms::{Forms, command_glob};
use super::pattern::{Patterns, SeparatorRule, literal};

/// A rule's pattern, in the form that is compared with addresses.
#[derive(Debug)]
pub(crate) enum AddressPattern {
    /// `https://docs.rs/*`, `*.docs.rs`, `docs.rs:8443/serde`.
    Parts(Parts),
    /// A pattern without a separate host (`*`), compared with the whole address.
    Text(Patterns),
}

#[derive(Debug)]
pub(crate) struct Parts {
    scheme: Option<String>,
    hosts: Patterns,
    port: Port,
    path: Path,
    /// Whether the rule asks or denies: then it also matches subdomains and, without a given port,
    /// every port.
    tightens: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Port {
    Usual,
    Any,
    Given(u16),
}

#[derive(Debug)]
enum Path {
    Any,
    /// This path and everything below it.
    Below(String),
    Glob(Patterns),
}

impl AddressPattern {
    /// Parses the pattern of a rule with this action. An invalid pattern matches nothing; rules
    /// were checked before.
    pub(crate) fn parse(pattern: &str, action: Verdict) -> Self {
        Self::parts(pattern.trim(), action != Verdict::Allow)
            .map_or_else(|| Self::Text(compiled(command_glob(pattern))), Self::Parts)
    }

    fn parts(pattern: &str, tightens: bool) -> Option<Parts> {
        if pattern.contains(char::is_whitespace) || matches!(pattern, "*" | "**") {
            return None;
        }
        let (scheme, rest) = match pattern.split_once("://") {
            Some((scheme, rest)) => (Some(scheme.to_ascii_lowercase()), rest),
            None => (None, pattern),
        };
        if scheme
            .as_deref()
            .is_some_and(|scheme| !scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'*'))
        {
            return None;
        }
        let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        if authority.is_empty() || authority.matches('{').count() != authority.matches('}').count() {
            return None;
        }
        let (host, port) = port_of(authority);
        let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        let mut hosts = vec![(0, host.clone())];
        // A rule that forbids everything below a host also forbids the host.
        hosts.extend(host.strip_prefix("*.").filter(|_| tightens).map(|apex| (0, apex.to_owned())));
        let path = match path {
            "" | "/" | "/*" | "/**" => Path::Any,
            path => match literal(path) {
                Some(plain) => Path::Below(normal(&plain)),
                None => Path::Glob(compiled(normal(path))),
            },
        };
        Some(Parts {
            scheme: scheme.filter(|scheme| scheme != "*"),
            hosts: Patterns::compile(&hosts, SeparatorRule::Everything).ok()?,
            port,
            path,
            tightens,
        })
    }

    /// Whether the pattern matches the address.
    pub(crate) fn matches(&self, url: &WebUrl) -> bool {
        match self {
            Self::Parts(parts) => parts.matches(url),
            Self::Text(patterns) => Forms::of_text(url.as_str()).matches(patterns),
        }
    }
}

impl Parts {
    fn matches(&self, url: &WebUrl) -> bool {
        let is_scheme = self.scheme.as_deref().is_none_or(|scheme| scheme == url.scheme());
        let is_port = match self.port {
            Port::Any => true,
            Port::Usual => url.port().is_none() || self.tightens,
            Port::Given(port) => {
                url.port() == Some(port) || port == 443 && url.port().is_none() && url.scheme() == "https"
            }
        };
        is_scheme && is_port && self.is_host(url.host()) && self.is_path(url.path_and_query())
    }

    fn is_host(&self, host: &str) -> bool {
        let below = host.match_indices('.').map(|(at, _)| &host[at + 1..]).filter(|_| self.tightens);
        std::iter::once(host).chain(below).any(|name| self.hosts.first(name).is_some())
    }

    fn is_path(&self, path: &str) -> bool {
        match &self.path {
            Path::Any => true,
            Path::Below(folder) => {
                let path = normal(path);
                let rest = path.strip_prefix(folder.as_str());
                rest.is_some_and(|rest| rest.is_empty() || folder.ends_with('/') || rest.starts_with(['/', '?']))
            }
            Path::Glob(globs) => globs.first(&normal(path)).is_some(),
        }
    }
}

fn compiled(glob: String) -> Patterns {
    Patterns::compile(&[(0, glob)], SeparatorRule::Everything).unwrap_or_default()
}

fn port_of(authority: &str) -> (&str, Port) {
    match authority.rsplit_once(':') {
        Some((host, "*")) => (host, Port::Any),
        Some((host, port)) => port.parse().map_or((authority, Port::Usual), |port| (host, Port::Given(port))),
        None => (authority, Port::Usual),
    }
}

/// Decodes percent-encoded letters and digits of a path.
fn normal(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let byte = rest.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
        if let Some(byte) = byte.filter(is_plain) {
            out.push(char::from(byte));
            rest = &rest[at + 3..];
        } else {
            out.push('%');
            rest = &rest[at + 1..];
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> WebUrl {
        let (scheme, rest) = text.split_once("://").unwrap();
        let (authority, path) = rest.find('/').map_or((rest, "/"), |at| rest.split_at(at));
        let (host, port) =
            authority.split_once(':').map_or((authority, None), |(host, port)| (host, port.parse().ok()));
        WebUrl::from_parts(scheme, host, port, path)
    }

    #[test]
    fn a_pattern_is_compared_part_by_part() {
        let check = |pattern: &str, action: Verdict, yes: &[&str], no: &[&str]| {
            let pattern = (pattern, AddressPattern::parse(pattern, action));
            for (list, expected) in [(yes, true), (no, false)] {
                for text in list {
                    assert_eq!(pattern.1.matches(&url(text)), expected, "{} {action:?} {text}", pattern.0);
                }
            }
        };
        let (allow, deny) = (Verdict::Allow, Verdict::Deny);
        check("*", allow, &["https://a.org/x"], &[]);
        check(
            "https://docs.rs/*",
            allow,
            &["https://docs.rs/", "https://docs.rs/a/b?c"],
            &[
                "http://docs.rs/",
                "https://docs.rs.evil.io/",
                "https://docs.rs:8443/",
                "https://x.docs.rs/",
                "https://evil.io/docs.rs/",
            ],
        );
        check("https://docs.rs*", allow, &["https://docs.rs/"], &["http://docs.rs/x"]);
        check("docs.rs", allow, &["https://docs.rs/a"], &["https://www.docs.rs/", "https://evil.io/docs.rs"]);
        check(
            "*.docs.rs",
            allow,
            &["https://a.b.docs.rs/"],
            &["https://docs.rs/", "https://evil.io/x.docs.rs", "https://xdocs.rs/"],
        );
        check("https://*.docs.rs/*", allow, &["https://a.docs.rs/x"], &["https://evil.io/x.docs.rs/x"]);
        check("docs.rs:8443", allow, &["https://docs.rs:8443/"], &["https://docs.rs/"]);
        check("docs.rs:*", allow, &["https://docs.rs:8443/", "https://docs.rs/"], &[]);
        check(
            "https://a.org/api",
            allow,
            &["https://a.org/api", "https://a.org/api/x", "https://a.org/api?x", "https://a.org/%61pi"],
            &["https://a.org/apix", "https://a.org/", "https://b.org/a.org/api"],
        );
        check("a.org/*.md", allow, &["https://a.org/x/y.md"], &["https://a.org/x"]);
        check(
            "evil.com",
            deny,
            &["https://evil.com/", "https://a.b.evil.com/", "https://evil.com:8443/x"],
            &["https://notevil.com/", "https://evil.com.org/"],
        );
        check("*.evil.com", deny, &["https://evil.com/", "https://a.evil.com/"], &["https://notevil.com/"]);
        check("evil.com/admin", deny, &["https://evil.com/%61dmin/x"], &["https://evil.com/"]);
        check("/etc/*", deny, &[], &["https://a.org/etc/x"]);
        check("{a,b}.org", allow, &["https://a.org/", "https://b.org/"], &["https://c.org/"]);
    }
}
