//! Web addresses, in parts parsed by the tool that opens them.

use std::fmt::{self, Write as _};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// An absolute web address, in parts.
///
/// The tool that opens the address parses it, once, and rules judge the parts that will be used. A
/// second parser could find another host in the same text.
///
/// ```
/// use tools_core::WebUrl;
///
/// let url = WebUrl::from_parts("https", "docs.rs", Some(8443), "/serde?q=1");
/// assert_eq!(url.as_str(), "https://docs.rs:8443/serde?q=1");
/// assert_eq!((url.host(), url.port(), url.path_and_query()), ("docs.rs", Some(8443), "/serde?q=1"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WebUrl {
    text: String,
    scheme: usize,
    host: usize,
    port: Option<u16>,
    path: usize,
}

impl WebUrl {
    /// An address from its normalised parts: scheme and host in lower case, the host without a
    /// final dot, an IPv6 address in brackets, the port `None` if it is the scheme's default, and
    /// the path with the query, to which a missing first `/` is added. No part holds a user, a
    /// password or a fragment.
    pub fn from_parts(scheme: &str, host: &str, port: Option<u16>, path_and_query: &str) -> Self {
        let mut text = format!("{scheme}://{host}");
        let host = text.len();
        if let Some(port) = port {
            // Writing to a `String` cannot fail.
            let _ = write!(text, ":{port}");
        }
        let path = text.len();
        if !path_and_query.starts_with('/') {
            text.push('/');
        }
        text.push_str(path_and_query);
        Self { text, scheme: scheme.len(), host, port, path }
    }

    /// Parses the text of an address.
    fn taken_apart(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        match authority.rsplit_once(':') {
            // A colon within brackets is part of an IPv6 address.
            Some((host, port)) if !port.contains(']') => {
                Some(Self::from_parts(scheme, host, Some(port.parse().ok()?), path))
            }
            _ => Some(Self::from_parts(scheme, authority, None, path)),
        }
    }

    /// The whole address.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The scheme, without `://`.
    pub fn scheme(&self) -> &str {
        &self.text[..self.scheme]
    }

    /// The host: a name, an IPv4 address, or an IPv6 address in brackets.
    pub fn host(&self) -> &str {
        &self.text[self.scheme + "://".len()..self.host]
    }

    /// The port; `None` if it is the scheme's default.
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// The path, which begins with `/`, and the query with its `?`.
    pub fn path_and_query(&self) -> &str {
        &self.text[self.path..]
    }
}

impl fmt::Display for WebUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for WebUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::taken_apart(&text).ok_or_else(|| D::Error::custom("not a web address"))
    }
}

impl Serialize for WebUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}
