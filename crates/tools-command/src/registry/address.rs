//! Hosts in the form that rules are compared with: always with a scheme, so that one rule binds
//! every way to name a host, and never with a user name, which may look like another host.

use crate::reader::Value;
use crate::registry::apply::is_remote;

/// An address with its scheme: `git@host:x` becomes `ssh://host/x`, `host:80` becomes
/// `tcp://host:80`.
pub(crate) fn addressed(value: &Value) -> Value {
    let text = value.text.as_str();
    if !value.is_exact {
        let text = if text.contains("://") { text.to_owned() } else { format!("tcp://{}", text.trim_matches('"')) };
        return Value { text, ..value.clone() };
    }
    let text = match text.split_once("://") {
        Some((scheme, rest)) => format!("{}://{}", alone(scheme), without_user(rest)),
        None => match text.split_once(':').filter(|(_, path)| is_remote(value) && !is_port(path)) {
            Some((host, path)) => format!("ssh://{}/{}", without_user(host), path.trim_start_matches('/')),
            None => format!("tcp://{}", without_user(text)),
        },
    };
    Value { text, ..value.clone() }
}

/// A web address. Programs that fetch accept a bare host as one.
pub(super) fn of_web(value: &Value) -> Value {
    let text = value.text.trim();
    if text.contains("://") {
        return value.clone();
    }
    Value { text: format!("http://{}", text.trim_start_matches('"')), ..value.clone() }
}

/// Whether a text is an internet host without a scheme, `example.org:80/x`. The listening address
/// of a server is not.
pub(crate) fn is_bare_host(text: &str) -> bool {
    let host = text.split(['/', ':']).next().unwrap_or_default();
    let is_label = |label: &str| !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let is_here = host.starts_with("127.") || host == "0.0.0.0";
    host.contains('.') && host.split('.').all(is_label) && !is_here
}

/// The scheme at the end of a text: `git+https` of `name @ git+https`.
fn alone(scheme: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-');
    scheme.rsplit(|c| !is_part(c)).next().unwrap_or_default()
}

fn without_user(rest: &str) -> String {
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    format!("{}{path}", authority.rsplit('@').next().unwrap_or_default())
}

fn is_port(text: &str) -> bool {
    let port = text.split(['/', '?']).next().unwrap_or_default();
    !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_name_a_host_gets_its_scheme() {
        let check = |text: &str, expected: &str| assert_eq!(addressed(&Value::exact(text)).text, expected);
        check("git@host:me/x", "ssh://host/me/x");
        check("host:/me/x", "ssh://host/me/x");
        check("me@host", "tcp://host");
        check("host:80", "tcp://host:80");
        check("[::1]:80", "tcp://[::1]:80");
        check("http://localhost:80@evil.com/x@y", "http://evil.com/x@y");
        check("https://host/x", "https://host/x");
        check("x @ git+https://host/x", "git+https://host/x");
        check("x@https://host/x", "https://host/x");
        assert_eq!(of_web(&Value::exact("localhost:80@evil.com/")).text, "http://localhost:80@evil.com/");
    }
}
