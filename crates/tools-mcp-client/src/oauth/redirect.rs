//! The redirect from the browser: accepts one answer, on loopback, with the right state.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout, timeout_at};
use url::form_urlencoded;

use super::fault::{LoginError, code};
use super::random::is_same;

const PATH: &str = "/callback";
const LOGIN: &str = "the login";
/// Maximum length of a request's head.
const MAX_HEAD_LEN: usize = 16 << 10;
/// Maximum length of a code.
const MAX_CODE_LEN: usize = 4096;
/// Time limit for a connection; browsers open some that they do not use.
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum number of open connections; further ones wait.
const MAX_CONNECTIONS: usize = 16;

/// What the answer of an authorization server must contain.
#[derive(Debug, Clone)]
pub(crate) struct Expected {
    pub(crate) state: String,
    /// Its name, byte for byte.
    pub(crate) issuer: String,
    /// Whether its metadata say that its answers name it.
    pub(crate) names_issuer: bool,
}

/// Classification of a request.
#[derive(Debug, PartialEq, Eq)]
enum RedirectRequest {
    /// Unrelated: it is answered with this status, and waiting continues.
    Stray(u16),
    /// The answer: a code, or why there is none.
    Answer(Result<String, LoginError>),
}

/// Listener for the redirect.
#[derive(Debug)]
pub(crate) struct Redirect {
    listener: TcpListener,
    authority: String,
}

impl Redirect {
    /// Listens on this loopback port or, for 0, on a free one.
    pub(crate) async fn listen(port: u16) -> Result<Self, LoginError> {
        let failed =
            |error: std::io::Error| LoginError::Config(format!("no port for the way back from the browser: {error}"));
        let listener = TcpListener::bind(("127.0.0.1", port)).await.map_err(failed)?;
        let authority = listener.local_addr().map_err(failed)?.to_string();
        Ok(Self { listener, authority })
    }

    /// The redirect address, as registered and requested.
    pub(crate) fn url(&self) -> String {
        format!("http://{}{PATH}", self.authority)
    }

    /// Waits for the answer, then stops listening.
    pub(crate) async fn code(self, expected: &Expected, patience: Duration) -> Result<String, LoginError> {
        let until = Instant::now() + patience;
        let mut open: JoinSet<Option<Result<String, LoginError>>> = JoinSet::new();
        loop {
            let may_accept = open.len() < MAX_CONNECTIONS;
            let next = async {
                tokio::select! {
                    accepted = self.listener.accept(), if may_accept => Next::Opened(accepted.ok().map(|(stream, _)| stream)),
                    Some(ended) = open.join_next() => Next::Ended(ended.ok().flatten()),
                }
            };
            match timeout_at(until, next).await {
                Err(_) => return Err(LoginError::NobodyCame(patience.as_secs())),
                Ok(Next::Ended(Some(answer))) => return answer,
                Ok(Next::Opened(Some(stream))) => {
                    let (expected, authority) = (expected.clone(), self.authority.clone());
                    open.spawn(
                        async move { timeout(PATIENCE, served(stream, &expected, &authority)).await.ok().flatten() },
                    );
                }
                Ok(Next::Ended(None) | Next::Opened(None)) => {}
            }
        }
    }
}

enum Next {
    Opened(Option<TcpStream>),
    Ended(Option<Result<String, LoginError>>),
}

/// Answers one request; returns its content if it is the expected answer.
async fn served(mut stream: TcpStream, expected: &Expected, authority: &str) -> Option<Result<String, LoginError>> {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let mut piece = [0; 2048];
        let read = stream.read(&mut piece).await.ok()?;
        if read == 0 || head.len() + read > MAX_HEAD_LEN {
            return None;
        }
        head.extend_from_slice(&piece[..read]);
    }
    let came = came(&String::from_utf8_lossy(&head), expected, authority);
    let (status, text) = match &came {
        RedirectRequest::Stray(status) => (*status, "This is not the answer that Haft waits for."),
        RedirectRequest::Answer(Ok(_)) => (200, "Haft has the answer. Go on in the terminal; this page can be closed."),
        RedirectRequest::Answer(Err(_)) => (400, "The login failed. The terminal says why; this page can be closed."),
    };
    let page = format!("<!doctype html><meta charset=utf-8><title>Haft</title><p>{text}</p>\n");
    let answer = format!(
        "HTTP/1.1 {status} Haft\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: \
         no-store\r\nReferrer-Policy: no-referrer\r\nContent-Security-Policy: default-src 'none'\r\nX-Content-Type-Options: \
         nosniff\r\nConnection: close\r\n\r\n{page}",
        page.len()
    );
    // If the browser has closed the connection, its request was still received.
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
    match came {
        RedirectRequest::Stray(_) => None,
        RedirectRequest::Answer(answer) => Some(answer),
    }
}

/// Parses the head of a request.
fn came(head: &str, expected: &Expected, authority: &str) -> RedirectRequest {
    let mut lines = head.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target)) = (words.next(), words.next()) else { return RedirectRequest::Stray(400) };
    let host = lines.filter_map(|line| line.split_once(':')).find(|(name, _)| name.eq_ignore_ascii_case("host"));
    // Guards against another name that resolves to this machine.
    if host.is_none_or(|(_, host)| host.trim() != authority) {
        return RedirectRequest::Stray(403);
    }
    if method != "GET" {
        return RedirectRequest::Stray(405);
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    if path != PATH {
        return RedirectRequest::Stray(404);
    }
    answer(query, expected)
}

/// Parses the answer in a query. Without the right state it is unrelated.
fn answer(query: &str, expected: &Expected) -> RedirectRequest {
    let fields: Vec<_> = form_urlencoded::parse(query.as_bytes()).collect();
    let values = |name: &str| -> Vec<&str> {
        fields.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_ref()).collect()
    };
    let [state] = values("state")[..] else { return RedirectRequest::Stray(400) };
    if !is_same(state, &expected.state) {
        return RedirectRequest::Stray(400);
    }
    let is_right = match values("iss")[..] {
        [] => !expected.names_issuer,
        [issuer] => issuer == expected.issuer,
        _ => false,
    };
    if !is_right {
        return RedirectRequest::Answer(Err(LoginError::IssuerMismatch));
    }
    if let [error, ..] = values("error")[..] {
        return RedirectRequest::Answer(Err(LoginError::Refused { what: LOGIN, code: code(error) }));
    }
    match values("code")[..] {
        [code] if (1..=MAX_CODE_LEN).contains(&code.len()) => RedirectRequest::Answer(Ok(code.to_owned())),
        _ => {
            let problem = "the browser came back without a code".to_owned();
            RedirectRequest::Answer(Err(LoginError::Answer { what: LOGIN, problem }))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn expected(names_issuer: bool) -> Expected {
        Expected { state: "st".to_owned(), issuer: "https://a".to_owned(), names_issuer }
    }

    #[test]
    fn only_the_answer_to_this_login_counts() {
        let check = |request: &str, names_issuer: bool, right: RedirectRequest| {
            let head = format!("{request} HTTP/1.1\r\nHost: 127.0.0.1:7\r\n\r\n");
            assert_eq!(came(&head, &expected(names_issuer), "127.0.0.1:7"), right, "{request}");
        };
        let code = || RedirectRequest::Answer(Ok("c".to_owned()));
        let mismatch = || RedirectRequest::Answer(Err(LoginError::IssuerMismatch));
        check("GET /callback?code=c&state=st", false, code());
        check("GET /callback?code=c&state=st&iss=https%3A%2F%2Fa", true, code());
        check("GET /callback?code=c&state=st&iss=https%3A%2F%2Fa", false, code());
        check("GET /callback?code=c&state=st", true, mismatch());
        check("GET /callback?code=c&state=st&iss=https%3A%2F%2Fa%2F", true, mismatch());
        check("GET /callback?code=c&state=st&iss=https%3A%2F%2Fevil", false, mismatch());
        check("GET /callback?code=c&state=st&iss=https%3A%2F%2Fa&iss=https%3A%2F%2Fevil", false, mismatch());
        check("GET /callback?error=access_denied&state=st&iss=https%3A%2F%2Fevil", false, mismatch());
        let denied = RedirectRequest::Answer(Err(LoginError::Refused { what: LOGIN, code: "access_denied" }));
        check("GET /callback?error=access_denied&error_description=x&state=st", false, denied);
        for stray in
            ["code=c", "code=c&state=", "code=c&state=other", "code=c&state=st&state=other", "error=access_denied", ""]
        {
            check(&format!("GET /callback?{stray}"), false, RedirectRequest::Stray(400));
        }
        check("GET /favicon.ico", false, RedirectRequest::Stray(404));
        check("POST /callback?code=c&state=st", false, RedirectRequest::Stray(405));
        assert!(matches!(
            answer("state=st&code=", &expected(false)),
            RedirectRequest::Answer(Err(LoginError::Answer { .. }))
        ));
        assert!(matches!(
            answer("state=st&code=a&code=b", &expected(false)),
            RedirectRequest::Answer(Err(LoginError::Answer { .. }))
        ));
        let rebound = "GET /callback?code=c&state=st HTTP/1.1\r\nHost: evil.example:7\r\n\r\n";
        assert_eq!(came(rebound, &expected(false), "127.0.0.1:7"), RedirectRequest::Stray(403));
    }

    proptest! {
        #[test]
        fn without_the_state_nothing_is_an_answer(head in "(GET /callback\\?)?[ -~]{0,80}( HTTP/1.1)?\r\nHost: 127.0.0.1:7\r\n\r\n") {
            prop_assume!(!head.contains("state=st"));
            prop_assert!(matches!(came(&head, &expected(false), "127.0.0.1:7"), RedirectRequest::Stray(_)));
        }
    }

    #[tokio::test]
    async fn one_answer_is_taken_and_then_nobody_listens() {
        let redirect = Redirect::listen(0).await.unwrap();
        let authority = redirect.authority.clone();
        let get = |target: &'static str| {
            let authority = authority.clone();
            async move {
                let mut stream = TcpStream::connect(&authority).await?;
                stream.write_all(format!("GET {target} HTTP/1.1\r\nHost: {authority}\r\n\r\n").as_bytes()).await?;
                let mut text = String::new();
                stream.read_to_string(&mut text).await.map(|_| text)
            }
        };
        let idle = TcpStream::connect(&authority).await.unwrap();
        let waiting = tokio::spawn(async move { redirect.code(&expected(false), Duration::from_secs(30)).await });
        assert!(get("/callback?code=evil&state=guess").await.unwrap().starts_with("HTTP/1.1 400"));
        let page = get("/callback?code=c&state=st").await.unwrap();
        assert!(page.starts_with("HTTP/1.1 200") && page.contains("no-store") && !page.contains("code=c"), "{page}");
        assert_eq!(waiting.await.unwrap().unwrap(), "c");
        assert!(get("/callback?code=d&state=st").await.is_err());
        drop(idle);
    }

    #[tokio::test]
    async fn nobody_is_waited_for_for_ever() {
        let redirect = Redirect::listen(0).await.unwrap();
        let waited = redirect.code(&expected(false), Duration::ZERO).await;
        assert_eq!(waited, Err(LoginError::NobodyCame(0)));
    }
}
