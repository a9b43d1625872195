//! Where a client wants to go, and what is no request at all.

use thiserror::Error;

use crate::guard::Host;

/// Destination of a client.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target {
    /// The host.
    pub host: Host,
    /// The port.
    pub port: u16,
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// Bytes that are no request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct BadRequest(pub &'static str);

/// A parsed value and the number of bytes it took; `None` while more has to come.
pub type ParseProgress<T> = Result<Option<(T, usize)>, BadRequest>;

/// `host:port`, IPv6 in brackets.
pub(super) fn target(text: &str, usual_port: Option<u16>) -> Result<Target, BadRequest> {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => {
            // Signs and spaces, which the parser of numbers takes, are none here.
            let is_number = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
            let port = port.parse().ok().filter(|port| is_number && *port > 0);
            (host, Some(port.ok_or(BadRequest("the port is not a number from 1 to 65535"))?))
        }
        _ => (text, None),
    };
    let port = port.or(usual_port).ok_or(BadRequest("there is no port"))?;
    let host = Host::parse(host).map_err(|_| BadRequest("the host is neither a name nor an address"))?;
    Ok(Target { host, port })
}
