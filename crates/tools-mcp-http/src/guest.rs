//! Guests of the server, and what each is served.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::{HeaderMap, Method, Request, StatusCode, header::AUTHORIZATION, http::request::Parts};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;
use tools_core::{SessionId, sha256_hex};
use tools_mcp::{ConnectedService, McpServer};
use uuid::Uuid;

use crate::headers::SESSION;
use crate::open_requests::OpenRequests;
use crate::refusal::{Answer, Refusal};
use crate::sessions::Sessions;
use crate::{HttpError, HttpSettings};

/// Minimum length of a token: a shorter one could be guessed.
pub const MIN_TOKEN_CHARS: usize = 32;

/// The first revision of the protocol without sessions. Revisions are dates, which sort as text.
const WITHOUT_SESSIONS: &str = "2026-07-28";
const REVISION: &str = "mcp-protocol-version";

/// A guest, and the server that answers its requests.
pub struct Guest {
    pub(crate) name: String,
    /// Digest of the token; the token itself is not kept.
    pub(crate) token: String,
    server: McpServer,
}

/// A random token of 64 characters.
pub fn new_token() -> String {
    format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple())
}

impl Guest {
    /// A guest with this token; the name is used in messages.
    ///
    /// # Errors
    /// [`HttpError::ShortToken`] for fewer than [`MIN_TOKEN_CHARS`] characters.
    pub fn new(name: impl Into<String>, token: &str, server: McpServer) -> Result<Self, HttpError> {
        let name = name.into();
        if token.chars().count() < MIN_TOKEN_CHARS {
            return Err(HttpError::ShortToken { name });
        }
        Ok(Self { name, token: sha256_hex(token.as_bytes()), server })
    }

    /// Serves the guest until `stop` is cancelled.
    pub(crate) fn into_admitted(
        self,
        hosts: Vec<String>,
        settings: &HttpSettings,
        stop: CancellationToken,
    ) -> AdmittedGuest {
        let config = StreamableHttpServerConfig::default()
            .with_allowed_origins(settings.answered_origins(&hosts))
            .with_allowed_hosts(hosts)
            .enforce_origin_validation()
            .with_max_request_body_bytes(settings.max_body)
            .with_cancellation_token(stop.clone());
        let sessions = Arc::new(Sessions::new(settings.idle));
        let (server, ended) = (self.server.clone(), stop.clone());
        let each = move || Ok(server.connected(&ended));
        let shared = Arc::new(match shared_session(&self.name, &self.token) {
            Some(session) => self.server.connected_to(session, &stop),
            None => self.server.connected(&stop),
        });
        let all = move || Ok(Arc::clone(&shared));
        AdmittedGuest {
            name: self.name,
            token: self.token,
            with_sessions: StreamableHttpService::new(each, Arc::clone(&sessions), config.clone()),
            without: StreamableHttpService::new(all, Arc::default(), config.with_legacy_session_mode(false)),
            sessions,
            max_sessions: settings.max_sessions,
            open: OpenRequests::default(),
            stop,
        }
    }
}

/// Session of a guest's requests without a session id. It is the same on each server that knows the
/// guest by this token, so that state shared by session, such as stored output, is found whichever
/// server gets a request. It does not reveal the token.
fn shared_session(name: &str, token_digest: &str) -> Option<SessionId> {
    let digest = sha256_hex(format!("requests without a session\n{name}\n{token_digest}").as_bytes());
    SessionId::parse(&format!("guest-{}", digest.get(..32)?)).ok()
}

tools_core::partial_debug!(Guest { name });

/// A guest that is being served.
pub(crate) struct AdmittedGuest {
    pub(crate) name: String,
    pub(crate) token: String,
    with_sessions: StreamableHttpService<ConnectedService, Sessions>,
    without: StreamableHttpService<Arc<ConnectedService>, NeverSessionManager>,
    sessions: Arc<Sessions>,
    max_sessions: usize,
    open: OpenRequests,
    /// Ends the sessions of this guest.
    pub(crate) stop: CancellationToken,
}

impl AdmittedGuest {
    /// Answers a request whose body was read.
    ///
    /// # Errors
    /// [`Refusal::Sessions`] if it would begin a session too many, and [`Refusal::Unanswered`] if
    /// its id is in use.
    pub(crate) async fn answer(&self, head: Parts, message: Bytes) -> Result<Answer, Refusal> {
        let opened = if has_no_sessions(&head.headers) { None } else { self.open.begin(&head.headers, &message)? };
        let opened = opened.map(|opened| opened.keeping(&self.sessions));
        let request = Request::from_parts(head, Full::new(message));
        if has_no_sessions(request.headers()) {
            return Ok(self.without.handle(request).await);
        }
        // A request without a session id begins a session.
        let begins = !request.headers().contains_key(SESSION);
        if begins && self.sessions.count().await >= self.max_sessions {
            return Err(Refusal::Sessions(self.max_sessions));
        }
        let ends = request.method() == Method::DELETE;
        let mut answer = self.with_sessions.handle(request).await;
        // Clients take "accepted" as a sign that the session still exists.
        if ends && answer.status() == StatusCode::ACCEPTED {
            *answer.status_mut() = StatusCode::NO_CONTENT;
        }
        Ok(match opened {
            Some(opened) => opened.answered(answer),
            None => answer,
        })
    }
}

/// Whether a request has a protocol revision without sessions.
fn has_no_sessions(headers: &HeaderMap) -> bool {
    headers.get(REVISION).and_then(|value| value.to_str().ok()).is_some_and(|revision| revision >= WITHOUT_SESSIONS)
}

/// Digest of a request's token; `None` without one.
pub(crate) fn token_of(headers: &HeaderMap) -> Option<String> {
    let mut all = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (all.next(), all.next()) else { return None };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| sha256_hex(token.trim().as_bytes()))
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn a_guest_without_sessions_has_one_for_each_token() {
        let of = |name: &str, token: &str| shared_session(name, &sha256_hex(token.as_bytes()));
        let session = of("alice", "token").unwrap();
        assert_eq!(of("alice", "token"), Some(session.clone()));
        assert_ne!(of("alice", "another"), Some(session.clone()));
        assert_ne!(of("bob", "token"), Some(session.clone()));
        assert!(!session.as_str().contains(&sha256_hex(b"token")[..8]), "{session}");
    }

    #[test]
    fn a_token_comes_once_and_as_bearer() {
        let check = |values: &[&str], expected: Option<&str>| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
            }
            let expected = expected.map(|token| sha256_hex(token.as_bytes()));
            assert_eq!(token_of(&headers), expected, "{values:?}");
        };
        check(&[], None);
        check(&["Bearer abc"], Some("abc"));
        check(&["bearer  abc "], Some("abc"));
        check(&["Basic abc"], None);
        check(&["abc"], None);
        check(&["Bearer abc", "Bearer abc"], None);
    }
}
