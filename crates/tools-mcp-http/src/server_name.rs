//! The name of a server among several behind a load balancer. It is in a header of every answer and
//! prefixes session ids, so that a request can be routed to the server of its session. A misrouted
//! request is answered with the right server's name.

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};
use tools_core::ServerName;

use crate::headers::{SERVER_HEADER, SESSION};

/// Removes the name from the session id of a request.
///
/// # Errors
/// The other server that owns the session, or that the request names.
pub(crate) fn take_off(own: &ServerName, headers: &mut HeaderMap) -> Result<(), ServerName> {
    // Without a session, the request may need state of the other server: jobs, undo and
    // placeholders are not here, and others may have the same names.
    let named = headers.get(SERVER_HEADER).and_then(|name| name.to_str().ok()?.parse::<ServerName>().ok());
    if let Some(other) = named.filter(|named| named != own) {
        return Err(other);
    }
    let Some(id) = headers.get(SESSION).and_then(|id| id.to_str().ok()) else { return Ok(()) };
    // Without a name it belongs to no named server: it will not be found.
    let Some((server, id)) = id.split_once('.') else { return Ok(()) };
    if server != own.as_str() {
        // Invalid names are not repeated.
        return server.parse().map_or(Ok(()), Err);
    }
    let id = HeaderValue::from_str(id);
    if let Ok(id) = id {
        headers.insert(SESSION, id);
    }
    Ok(())
}

/// Adds the server's name to an answer, and to its session id.
pub(crate) fn put_on(own: &ServerName, headers: &mut HeaderMap) {
    let id = headers.get(SESSION).and_then(|id| id.to_str().ok());
    if let Some(Ok(id)) = id.map(|id| HeaderValue::from_str(&format!("{own}.{id}"))) {
        headers.insert(SESSION, id);
    }
    if !headers.contains_key(SERVER_HEADER) {
        headers.insert(HeaderName::from_static(SERVER_HEADER), header(own));
    }
}

pub(crate) fn header(name: &ServerName) -> HeaderValue {
    HeaderValue::from_str(name.as_str()).unwrap_or_else(|_| HeaderValue::from_static(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_comes_back_without_the_name_and_leads_nowhere_else() {
        let one: ServerName = "one".parse().unwrap();
        let with =
            |id: &str| HeaderMap::from_iter([(HeaderName::from_static(SESSION), HeaderValue::from_str(id).unwrap())]);
        let mut headers = with("abc");
        put_on(&one, &mut headers);
        assert_eq!(headers[SESSION], "one.abc");
        assert_eq!(headers[SERVER_HEADER], "one");
        assert_eq!(take_off(&one, &mut headers), Ok(()));
        assert_eq!(headers[SESSION], "abc");
        assert_eq!(take_off(&one, &mut with("two.abc")), Err("two".parse().unwrap()));
        assert_eq!(take_off(&one, &mut with("<b>.abc")), Ok(()));
        assert_eq!(take_off(&one, &mut HeaderMap::new()), Ok(()));
        let naming =
            |name: &str| HeaderMap::from_iter([(HeaderName::from_static(SERVER_HEADER), name.parse().unwrap())]);
        assert_eq!(take_off(&one, &mut naming("one")), Ok(()));
        assert_eq!(take_off(&one, &mut naming("two")), Err("two".parse().unwrap()));
        assert_eq!(take_off(&one, &mut naming("No Name")), Ok(()));
    }
}
