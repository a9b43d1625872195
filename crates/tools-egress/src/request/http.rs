//! The head of an HTTP request to a proxy: `CONNECT host:port`, or a method with an absolute
//! `http://` URL. What different parsers read differently is refused.

use std::fmt::Write as _;

use super::{BadRequest, ParseProgress, Target, target::target};

/// The longest head: what servers take, and a bound for what a client can have kept.
const MAX_HEAD_LEN: usize = 32 * 1024;
const MAX_HEADERS: usize = 128;

/// Headers that are about this connection and not about the request.
const OF_THE_CONNECTION: &[&str] =
    &["connection", "host", "keep-alive", "proxy-authorization", "proxy-connection", "te", "trailer", "upgrade"];

/// A request to a proxy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HttpRequest {
    /// Bytes both ways from now on.
    Connect(Target),
    /// One request.
    Forward {
        /// The server.
        target: Target,
        /// The head as that server gets it.
        head: Vec<u8>,
        /// Length of the request's body.
        body: Body,
    },
}

/// Length of a request's body. What a client sends behind it is another request, maybe for another
/// host, and goes nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// So many bytes.
    Length(u64),
    /// In chunks: see [`super::ChunkScanner`].
    Chunked,
}

/// Reads the head of a request.
///
/// # Errors
/// When the bytes are none, whatever follows.
pub fn http(bytes: &[u8]) -> ParseProgress<HttpRequest> {
    let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        if bytes.len() > MAX_HEAD_LEN {
            return Err(BadRequest("the head of the request is too long"));
        }
        return Ok(None);
    };
    if end > MAX_HEAD_LEN {
        return Err(BadRequest("the head of the request is too long"));
    }
    let head = std::str::from_utf8(&bytes[..end]).map_err(|_| BadRequest("the head of the request is not a string"))?;
    let mut lines = head.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (method, place, version) = (words.next(), words.next(), words.next());
    let (Some(method), Some(place), Some("HTTP/1.1" | "HTTP/1.0"), None) = (method, place, version, words.next())
    else {
        return Err(BadRequest("the first line is not a request of HTTP/1"));
    };
    if !is_token(method) || place.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
        return Err(BadRequest("the first line is not a request of HTTP/1"));
    }
    let headers = headers(lines)?;
    let request = if method == "CONNECT" {
        HttpRequest::Connect(target(place, None)?)
    } else {
        forward(method, place, &headers)?
    };
    Ok(Some((request, end + 4)))
}

fn headers<'a>(lines: impl Iterator<Item = &'a str>) -> Result<Vec<(String, &'a str)>, BadRequest> {
    let mut headers = Vec::new();
    for line in lines {
        let (name, value) = line.split_once(':').ok_or(BadRequest("a header has no colon"))?;
        let is_text = value.bytes().all(|byte| byte == b'\t' || (byte >= b' ' && byte != 0x7f));
        if !is_token(name) || !is_text || headers.len() == MAX_HEADERS {
            return Err(BadRequest("a header cannot be read"));
        }
        headers.push((name.to_ascii_lowercase(), value.trim_matches([' ', '\t'])));
    }
    Ok(headers)
}

fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

fn forward(method: &str, place: &str, headers: &[(String, &str)]) -> Result<HttpRequest, BadRequest> {
    let scheme = place.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("http://"));
    scheme.ok_or(BadRequest("only `http://` URLs are forwarded; for others there is CONNECT"))?;
    let rest = &place[7..];
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    if authority.contains('@') || path.contains('#') {
        return Err(BadRequest("the URL has a user name or a fragment"));
    }
    let target = target(authority, Some(80))?;
    let slash = if path.starts_with('/') { "" } else { "/" };
    // What the URL says counts, whatever a header says, and as it was read: a server may read
    // another spelling otherwise.
    let port = if target.port == 80 { String::new() } else { format!(":{}", target.port) };
    let mut head = format!("{method} {slash}{path} HTTP/1.1\r\nHost: {}{port}\r\n", target.host);
    let mut dropped: Vec<String> = OF_THE_CONNECTION.iter().map(|name| (*name).to_owned()).collect();
    let named = headers.iter().filter(|(name, _)| name == "connection");
    dropped.extend(named.flat_map(|(_, value)| value.split(',')).map(|name| name.trim().to_ascii_lowercase()));
    let is_framing = |name: &str| matches!(name, "content-length" | "transfer-encoding");
    for (name, value) in headers.iter().filter(|(name, _)| is_framing(name) || !dropped.contains(name)) {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    head.push_str("Connection: close\r\n\r\n");
    Ok(HttpRequest::Forward { target, head: head.into_bytes(), body: body(headers)? })
}

fn body(headers: &[(String, &str)]) -> Result<Body, BadRequest> {
    let all = |wanted: &str| headers.iter().filter(move |(name, _)| name == wanted).map(|(_, value)| *value).collect();
    let (lengths, codings): (Vec<&str>, Vec<&str>) = (all("content-length"), all("transfer-encoding"));
    match (lengths.as_slice(), codings.as_slice()) {
        ([], []) => Ok(Body::Length(0)),
        ([length], []) if length.bytes().all(|byte| byte.is_ascii_digit()) => {
            length.parse().map(Body::Length).map_err(|_| BadRequest("the length of the body is not a number"))
        }
        ([], [coding]) if coding.eq_ignore_ascii_case("chunked") => Ok(Body::Chunked),
        _ => Err(BadRequest("the length of the body can be read in two ways")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<HttpRequest, BadRequest> {
        http(text.as_bytes()).map(|read| read.expect("it is whole").0)
    }

    #[test]
    fn the_target_is_what_the_first_line_says() {
        let connect =
            |place: &str, expected: &str| match read(&format!("CONNECT {place} HTTP/1.1\r\nHost: other:1\r\n\r\n")) {
                Ok(HttpRequest::Connect(target)) => assert_eq!(target.to_string(), expected, "{place}"),
                other => panic!("{place}: {other:?}"),
            };
        connect("Example.org.:443", "example.org:443");
        connect("[::1]:22", "[::1]:22");
        connect("0x7f.1:80", "127.0.0.1:80");
        connect("2130706433:80", "127.0.0.1:80");
        for place in [
            "example.org",
            "example.org:",
            "example.org:0",
            "example.org:+1",
            "example.org:65536",
            ":443",
            "a b:1",
            "u@example.org:1",
            "[::1:22",
            "/",
        ] {
            assert!(read(&format!("CONNECT {place} HTTP/1.1\r\n\r\n")).is_err(), "{place}");
        }
    }

    #[test]
    fn a_url_is_made_a_request_to_its_server() {
        let text = "POST http://example.org:8080/a?b HTTP/1.1\r\nHost: evil.org\r\nProxy-Authorization: x\r\n\
                    Connection: close, X-Own\r\nX-Own: 1\r\nAccept: */*\r\nContent-Length: 3\r\n\r\nabcGET";
        let (request, read_bytes) = http(text.as_bytes()).unwrap().unwrap();
        assert_eq!(&text[read_bytes..], "abcGET");
        let HttpRequest::Forward { target, head, body } = request else { panic!("{request:?}") };
        assert_eq!((target.to_string().as_str(), body), ("example.org:8080", Body::Length(3)));
        assert_eq!(
            String::from_utf8(head).unwrap(),
            "POST /a?b HTTP/1.1\r\nHost: example.org:8080\r\naccept: */*\r\ncontent-length: 3\r\nConnection: close\r\n\r\n"
        );
        let HttpRequest::Forward { target, head, .. } = read("GET HTTP://example.org?x HTTP/1.0\r\n\r\n").unwrap()
        else {
            panic!("a request")
        };
        assert_eq!(target.to_string(), "example.org:80");
        assert!(head.starts_with(b"GET /?x HTTP/1.1\r\nHost: example.org\r\n"));
        for (spelling, host) in [
            ("%65xample.ORG.:080", "example.org"),
            ("b\u{fc}cher.de:81", "xn--bcher-kva.de:81"),
            ("0x7f.1", "127.0.0.1"),
        ] {
            let HttpRequest::Forward { head, .. } = read(&format!("GET http://{spelling}/ HTTP/1.1\r\n\r\n")).unwrap()
            else {
                panic!("a request")
            };
            let expected = format!("GET / HTTP/1.1\r\nHost: {host}\r\n");
            assert!(head.starts_with(expected.as_bytes()), "{}", String::from_utf8_lossy(&head));
        }
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_refused() {
        for text in [
            "GET /a HTTP/1.1\r\nHost: example.org\r\n\r\n",
            "GET https://example.org/ HTTP/1.1\r\n\r\n",
            "GET ftp://example.org/ HTTP/1.1\r\n\r\n",
            "GET http://u:p@example.org/ HTTP/1.1\r\n\r\n",
            "GET http://example.org/ HTTP/2.0\r\n\r\n",
            "GET  http://example.org/ HTTP/1.1\r\n\r\n",
            "GET http://example.org/ HTTP/1.1\r\n folded: 1\r\n\r\n",
            "GET http://example.org/ HTTP/1.1\r\nA : 1\r\n\r\n",
            "GET http://example.org/ HTTP/1.1\r\nA: 1\nB: 2\r\n\r\n",
            "POST http://example.org/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "POST http://example.org/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST http://example.org/ HTTP/1.1\r\nContent-Length: +1\r\n\r\n",
            "POST http://example.org/ HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            "\r\n\r\n",
        ] {
            assert!(http(text.as_bytes()).is_err(), "{text:?}");
        }
        let headers = "a: b\r\n".repeat(MAX_HEADERS + 1);
        assert!(http(format!("GET http://example.org/ HTTP/1.1\r\n{headers}\r\n").as_bytes()).is_err());
        assert_eq!(http(b"GET http://example.org/ HTTP/1.1\r\n"), Ok(None));
        assert!(http(&vec![b'a'; MAX_HEAD_LEN + 1]).is_err());
    }
}
