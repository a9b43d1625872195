//! Minimal HTTP server for one page. [`RequestGuard::route`] judges a request by its head alone.
//! Without the token, only the page itself is served.

use std::{fs::File, io::Read, time::Duration};

use haft::core::{hex, sha256_hex};
use haft::questions::Choice;
use serde::Deserialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::board::Board;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Maximum size of a request head in bytes.
const MAX_HEAD: usize = 16 * 1024;
const MAX_BODY: usize = 16 * 1024;
/// Time limit for receiving a request.
const PATIENCE: Duration = Duration::from_secs(5);

/// Decides which requests are served.
pub(super) struct RequestGuard {
    port: u16,
    token: String,
    /// Nonce of our own style and script; nothing else runs on the page.
    nonce: String,
}

/// Requested resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Route {
    Page,
    State,
    Answer,
}

/// Head of a request, lower-cased where case does not matter.
#[derive(Debug, Default)]
struct Head {
    method: String,
    path: String,
    fields: Vec<(String, String)>,
}

/// The body of an answer.
#[derive(Debug, Deserialize)]
struct Response {
    id: u64,
    #[serde(flatten)]
    choice: Choice,
}

impl RequestGuard {
    /// Creates a door with a new token.
    pub(super) fn new(port: u16) -> Result<Self, String> {
        Ok(Self { port, token: random()?, nonce: random()? })
    }

    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// Route of a request, or the status that refuses it.
    fn route(&self, head: &Head) -> Result<Route, u16> {
        let hosts = [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)];
        // Guards against DNS rebinding: a page of another name that resolves here sends that name.
        let mut named = head.all("host");
        match (named.next(), named.next()) {
            (Some(host), None) if hosts.contains(&host.to_ascii_lowercase()) => {}
            _ => return Err(403),
        }
        let is_ours = |origin: &str| hosts.iter().any(|host| origin == format!("http://{host}"));
        if head.all("origin").any(|origin| !is_ours(origin))
            || head.all("sec-fetch-site").any(|site| site == "cross-site")
        {
            return Err(403);
        }
        let route = match (head.method.as_str(), head.path.as_str()) {
            ("GET", "/") => return Ok(Route::Page),
            ("GET", "/state") => Route::State,
            ("POST", "/answer") => Route::Answer,
            (_, "/" | "/state" | "/answer") => return Err(405),
            _ => return Err(404),
        };
        let mut given = head.all("authorization");
        match (given.next().and_then(|value| value.strip_prefix("Bearer ")), given.next()) {
            // Digests are compared, so that timing reveals nothing about the token.
            (Some(token), None) if sha256_hex(token.as_bytes()) == sha256_hex(self.token.as_bytes()) => Ok(route),
            _ => Err(401),
        }
    }
}

impl Head {
    /// Parses a head; `None` if it is invalid.
    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, path, version) = (words.next()?, words.next()?, words.next()?);
        if !version.starts_with("HTTP/1.") || words.next().is_some() {
            return None;
        }
        let mut fields = Vec::new();
        for line in lines.filter(|line| !line.is_empty()) {
            let (name, value) = line.split_once(':')?;
            fields.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        Some(Self { method: method.to_owned(), path: path.to_owned(), fields })
    }

    fn all<'a>(&'a self, wanted: &'a str) -> impl Iterator<Item = &'a str> {
        self.fields.iter().filter(move |(name, _)| name == wanted).map(|(_, value)| value.as_str())
    }
}

/// Answers one request and ends the connection.
pub(super) async fn serve(mut stream: TcpStream, guard: &RequestGuard, board: &Board) {
    let answer = match timeout(PATIENCE, read(&mut stream, guard)).await {
        Ok(Some(Ok((route, body)))) => guard.answered(route, &body, board).await,
        Ok(Some(Err(status))) => guard.response(status, "text/plain", ""),
        Ok(None) => guard.response(400, "text/plain", ""),
        Err(_) => return,
    };
    let _ = timeout(PATIENCE, async {
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await?;
        // Closing a connection with unread input resets it, and the answer is lost.
        let mut rest = stream.take(MAX_BODY as u64);
        tokio::io::copy(&mut rest, &mut tokio::io::sink()).await
    })
    .await;
}

/// Reads a request, judged before its body; `None` if it is invalid.
async fn read(stream: &mut TcpStream, guard: &RequestGuard) -> Option<Result<(Route, Vec<u8>), u16>> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|part| part == b"\r\n\r\n") {
            break end;
        }
        if bytes.len() > MAX_HEAD || stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = Head::parse(std::str::from_utf8(&bytes[..end]).ok()?)?;
    let route = match guard.route(&head) {
        Ok(route) => route,
        Err(status) => return Some(Err(status)),
    };
    let length = match head.all("content-length").next() {
        Some(length) => length.parse::<usize>().ok()?,
        None => 0,
    };
    if length > MAX_BODY || head.all("transfer-encoding").next().is_some() {
        return Some(Err(413));
    }
    let mut body = bytes.split_off(end + 4);
    while body.len() < length {
        if stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    body.truncate(length);
    Some(Ok((route, body)))
}

impl RequestGuard {
    async fn answered(&self, route: Route, body: &[u8], board: &Board) -> String {
        match route {
            Route::Page => self.response(200, "text/html; charset=utf-8", &self.page()),
            Route::State => self.response(200, "application/json", &board.state().await.to_string()),
            Route::Answer => match serde_json::from_slice::<Response>(body) {
                Ok(Response { id, choice }) => {
                    let status = if board.questions.answer(id, choice) { 204 } else { 409 };
                    self.response(status, "text/plain", "")
                }
                Err(_) => self.response(400, "text/plain", ""),
            },
        }
    }

    fn page(&self) -> String {
        PAGE.replace("NONCE", &self.nonce).replace("/*style*/", STYLE).replace("/*script*/", SCRIPT)
    }

    /// Formats one response. The page may load nothing, and run only its own script.
    fn response(&self, status: u16, kind: &str, body: &str) -> String {
        let reason = match status {
            200 => "OK",
            204 => "No Content",
            400 => "Bad Request",
            401 => "Unauthorized",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            409 => "Conflict",
            _ => "Content Too Large",
        };
        let length = if status == 204 { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
        format!(
            "HTTP/1.1 {status} {reason}\r\nContent-Type: {kind}\r\n{length}Connection: close\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\
         Content-Security-Policy: default-src 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; connect-src \
         'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\r\n{body}",
            nonce = self.nonce,
        )
    }
}

/// 256 random bits as text.
fn random() -> Result<String, String> {
    let mut bytes = [0; 32];
    let read = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    read.map_err(|error| format!("`/dev/urandom`: {error}"))?;
    Ok(hex(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<Route, u16>) {
        let guard = RequestGuard { port: 8080, token: "t0".to_owned(), nonce: "n".to_owned() };
        let head = Head::parse(text).expect("it is a head");
        assert_eq!(guard.route(&head), expected, "{text}");
    }

    #[test]
    fn a_request_is_let_in_by_its_name_its_origin_and_the_token() {
        let with = |line: &str, fields: &str| format!("{line} HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n{fields}");
        let token = "Authorization: Bearer t0\r\n";
        check(&with("GET /", ""), Ok(Route::Page));
        check(&with("GET /state", token), Ok(Route::State));
        check(&with("POST /answer", token), Ok(Route::Answer));
        for wrong in ["", "Authorization: Bearer t1\r\n", "Authorization: t0\r\n", "Cookie: t0\r\n"] {
            check(&with("GET /state", wrong), Err(401));
            check(&with("POST /answer", wrong), Err(401));
        }
        check(&with("GET /state", &format!("{token}{token}")), Err(401));
        check(&with("GET /answer", token), Err(405));
        check(&with("GET /state?token=t0", ""), Err(404));
        check(&with("GET /state", &format!("{token}Origin: http://evil.example\r\n")), Err(403));
        check(&with("GET /state", &format!("{token}Origin: null\r\n")), Err(403));
        check(&with("GET /state", &format!("{token}Sec-Fetch-Site: cross-site\r\n")), Err(403));
        check(&with("GET /state", &format!("{token}Origin: http://127.0.0.1:8080\r\n")), Ok(Route::State));
        for host in ["evil.example:8080", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8080.evil.example", ""] {
            check(&format!("GET / HTTP/1.1\r\nHost: {host}\r\n{token}"), Err(403));
        }
        check(&format!("GET / HTTP/1.1\r\n{token}"), Err(403));
        check(&with("GET /", "Host: evil.example\r\n"), Err(403));
        check(&format!("GET / HTTP/1.1\r\nHost: localhost:8080\r\n{token}"), Ok(Route::Page));
    }
}
