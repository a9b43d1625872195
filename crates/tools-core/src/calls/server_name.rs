//! The name of a server among several that serve the same clients. It is part of the identifiers of
//! things that only this server has, so that the others can refer to it.

use std::{fmt, str::FromStr, sync::Arc};

use thiserror::Error;

const MAX_CHARS: usize = 32;

/// The name of a server: 1 to 32 of `a-z`, `0-9` and `-`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerName(Arc<str>);

/// Reason why a text is not the name of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the name of a server is 1 to {MAX_CHARS} of `a-z`, `0-9` and `-`")]
pub struct ServerNameError;

impl FromStr for ServerName {
    type Err = ServerNameError;

    fn from_str(text: &str) -> Result<Self, ServerNameError> {
        let is_valid = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if text.is_empty() || text.len() > MAX_CHARS || !text.bytes().all(is_valid) {
            return Err(ServerNameError);
        }
        Ok(Self(Arc::from(text)))
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl ServerName {
    /// The HTTP header that names the server that answered, or the one that a request is for.
    pub const HEADER: &str = "haft-server";

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_plain() {
        for valid in ["a", "haft-1", &"x".repeat(MAX_CHARS)] {
            assert!(valid.parse::<ServerName>().is_ok(), "{valid}");
        }
        for invalid in ["", "A", "a.b", "a b", "ä", &"x".repeat(MAX_CHARS + 1)] {
            assert!(invalid.parse::<ServerName>().is_err(), "{invalid}");
        }
    }
}
