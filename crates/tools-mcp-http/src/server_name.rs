//! The name of a server among several behind a balancer: in a header of every answer and in front
//! of the ids of its sessions, so that a request can be led to the server of its session, and one
//! that comes elsewhere is told which that is.

use std::{fmt, str::FromStr};

use hyper::{
    HeaderMap,
    header::{HeaderName, HeaderValue},
};
use thiserror::Error;

use crate::headers::{SERVER_HEADER, SESSION};

const MAX_CHARS: usize = 32;

/// The name of a server: 1 to 32 of `a-z`, `0-9` and `-`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerName(String);

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
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl ServerName {
    /// Takes the name off the id of a session that a request brings.
    ///
    /// # Errors
    /// The other server whose session it is, or that the request itself names.
    pub(crate) fn take_off(&self, headers: &mut HeaderMap) -> Result<(), Self> {
        // Without a session it is for what the other server keeps for its guest: jobs, undo and
        // placeholders are not here, and others of the same names may be.
        let named = headers.get(SERVER_HEADER).and_then(|name| name.to_str().ok()?.parse::<Self>().ok());
        if let Some(other) = named.filter(|named| named != self) {
            return Err(other);
        }
        let Some(id) = headers.get(SESSION).and_then(|id| id.to_str().ok()) else { return Ok(()) };
        // Without a name it is of no server that has one: it is not found.
        let Some((server, id)) = id.split_once('.') else { return Ok(()) };
        if server != self.0 {
            // What is no name is not repeated.
            return server.parse().map_or(Ok(()), Err);
        }
        let id = HeaderValue::from_str(id);
        if let Ok(id) = id {
            headers.insert(SESSION, id);
        }
        Ok(())
    }

    /// Names the server in an answer, and in front of the id of a session.
    pub(crate) fn put_on(&self, headers: &mut HeaderMap) {
        let id = headers.get(SESSION).and_then(|id| id.to_str().ok());
        if let Some(Ok(id)) = id.map(|id| HeaderValue::from_str(&format!("{self}.{id}"))) {
            headers.insert(SESSION, id);
        }
        if !headers.contains_key(SERVER_HEADER) {
            headers.insert(HeaderName::from_static(SERVER_HEADER), self.header());
        }
    }

    pub(crate) fn header(&self) -> HeaderValue {
        HeaderValue::from_str(&self.0).unwrap_or_else(|_| HeaderValue::from_static(""))
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

    #[test]
    fn an_id_comes_back_without_the_name_and_leads_nowhere_else() {
        let one: ServerName = "one".parse().unwrap();
        let with =
            |id: &str| HeaderMap::from_iter([(HeaderName::from_static(SESSION), HeaderValue::from_str(id).unwrap())]);
        let mut headers = with("abc");
        one.put_on(&mut headers);
        assert_eq!(headers[SESSION], "one.abc");
        assert_eq!(headers[SERVER_HEADER], "one");
        assert_eq!(one.take_off(&mut headers), Ok(()));
        assert_eq!(headers[SESSION], "abc");
        assert_eq!(one.take_off(&mut with("two.abc")), Err("two".parse().unwrap()));
        assert_eq!(one.take_off(&mut with("<b>.abc")), Ok(()));
        assert_eq!(one.take_off(&mut HeaderMap::new()), Ok(()));
        let naming =
            |name: &str| HeaderMap::from_iter([(HeaderName::from_static(SERVER_HEADER), name.parse().unwrap())]);
        assert_eq!(one.take_off(&mut naming("one")), Ok(()));
        assert_eq!(one.take_off(&mut naming("two")), Err("two".parse().unwrap()));
        assert_eq!(one.take_off(&mut naming("No Name")), Ok(()));
    }
}
