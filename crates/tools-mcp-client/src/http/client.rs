//! HTTP client for rmcp's streamable HTTP: uses vetted connections, and adds secrets that rmcp does
//! not see.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex as StdMutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::{StreamExt as _, future::ready, stream::BoxStream};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::http::request::Builder;
use hyper::{Method, Request, Response, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData, RequestId, ServerJsonRpcMessage, ServerResult};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};
use tokio::sync::Mutex;
use tokio_util::sync::{CancellationToken, DropGuard};
use tools_core::Locked as _;

use super::body::{Pieces, whole};
use super::events;
use super::fault::HttpFault;
use super::place::Place;
use super::wire::{Lease, Net, Wire};
use crate::config::Server;
use crate::credential::{Secret, TokenReader};
use crate::error::shown;
use crate::oauth::{Challenge, ServerLogin};
use crate::prepared::PreparedRemote;
use crate::transport::{MAX_MESSAGE_BYTES, Notes};

const SESSION: &str = "mcp-session-id";
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const EVENTS: &str = "text/event-stream";
const JSON: &str = "application/json";
/// Maximum number of bytes read of a body that explains a status.
const MAX_EXPLANATION: usize = 64 << 10;
/// Maximum length of a session id.
const MAX_SESSION_LEN: usize = 1024;
/// Time limit for a server to begin a stream, and to end a session.
const STREAM_PATIENCE: Duration = Duration::from_secs(30);
/// Margin beyond a call's time limit, so that the call's own limit applies first.
const AFTER_CALL: Duration = Duration::from_secs(5);
/// Maximum number of streams opened per minute; further ones wait.
const STREAMS_A_MINUTE: usize = 30;
const MINUTE: Duration = Duration::from_mins(1);

type Failed = StreamableHttpError<HttpFault>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

/// Creates the transport of a server over HTTP. `ended` is cancelled when its last request,
/// including the one that ends the session, has finished.
pub(crate) fn connect(
    server: &Server,
    prepared: PreparedRemote,
    net: Arc<Net>,
    notes: Notes,
    ended: CancellationToken,
) -> Result<StreamableHttpClientTransport<Remote>, HttpFault> {
    let place = Place::parse(&server.config.url, server.config.private).map_err(HttpFault::Unreachable)?;
    let state = State {
        wire: Wire::new(place, net),
        fixed: prepared.headers,
        reader: prepared.token,
        login: prepared.login,
        token: Mutex::default(),
        patience: server.timeout.max(server.start_timeout) + AFTER_CALL,
        opened: StdMutex::default(),
        notes,
        _ended: ended.drop_guard(),
    };
    let mut retry = ExponentialBackoff::default();
    (retry.base_duration, retry.max_times, retry.max_delay) =
        (Duration::from_millis(500), Some(6), Some(Duration::from_secs(30)));
    // The owner of the connection re-establishes a lost session: the list of tools is judged again
    // before any call.
    let mut config = StreamableHttpClientTransportConfig::with_uri("").reinit_on_expired_session(false);
    config.retry_config = Arc::new(retry);
    Ok(StreamableHttpClientTransport::with_client(Remote(Arc::new(state)), config))
}

/// A server over HTTP as rmcp's client. Clones share it.
#[derive(Clone)]
pub(crate) struct Remote(Arc<State>);

struct State {
    wire: Wire,
    /// Headers of every request.
    fixed: Vec<(String, Secret)>,
    reader: Option<TokenReader>,
    login: Option<Arc<ServerLogin>>,
    /// Last token of the reader.
    token: Mutex<Option<Secret>>,
    /// Time limit for the head of an answer.
    patience: Duration,
    /// Times at which streams were recently opened.
    opened: StdMutex<VecDeque<Instant>>,
    notes: Notes,
    _ended: DropGuard,
}

/// A request that is sent once or twice.
struct Exchange<'a> {
    method: Method,
    session: Option<&'a str>,
    headers: &'a HashMap<HeaderName, HeaderValue>,
    more: Vec<(HeaderName, &'a str)>,
    body: Bytes,
    patience: Duration,
}

impl State {
    /// The token: that of the login, or the one that is read at the first request that needs it.
    async fn token(&self) -> Result<Option<Secret>, HttpFault> {
        if let Some(login) = &self.login {
            return login.token().await;
        }
        let Some(read) = &self.reader else { return Ok(None) };
        let mut held = self.token.lock().await;
        if held.is_none() {
            *held = Some(read().await.map_err(HttpFault::NoToken)?);
        }
        Ok(held.clone())
    }

    /// Builds a request with all common headers, and returns the secrets in it.
    fn request(
        &self,
        method: Method,
        session: Option<&str>,
        headers: &HashMap<HeaderName, HeaderValue>,
        token: Option<&Secret>,
    ) -> Result<(Builder, Vec<Secret>), HttpFault> {
        let mut request = Request::builder()
            .method(method)
            .uri(&self.wire.place.target)
            .header(header::HOST, &self.wire.place.authority)
            .header(header::USER_AGENT, concat!("haft/", env!("CARGO_PKG_VERSION")));
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(session) = session {
            request = request.header(SESSION, session);
        }
        let mut secrets = Vec::new();
        let bearer = token.and_then(|token| Secret::new(&format!("Bearer {}", token.text())));
        let bearer = bearer.map(|bearer| ("authorization".to_owned(), bearer));
        for (name, secret) in self.fixed.iter().cloned().chain(bearer) {
            let invalid = |_| HttpFault::NoToken(format!("the value of `{name}` cannot stand in a header"));
            let mut value = HeaderValue::from_str(secret.text()).map_err(invalid)?;
            value.set_sensitive(true);
            request = request.header(&name, value);
            secrets.push(secret);
        }
        Ok((request, secrets))
    }

    /// Sends a request with the login's token, and once more with another one if the server refuses
    /// the first.
    async fn exchange(&self, exchange: Exchange<'_>) -> Result<(Response<Incoming>, Lease, Vec<Secret>), HttpFault> {
        let mut token = self.token().await?;
        let mut is_second = false;
        loop {
            let (mut request, secrets) =
                self.request(exchange.method.clone(), exchange.session, exchange.headers, token.as_ref())?;
            for (name, value) in &exchange.more {
                request = request.header(name, *value);
            }
            let (response, lease) = self.send(request, exchange.body.clone(), exchange.patience).await?;
            let status = response.status();
            let is_refused = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
            let Some(login) = self.login.as_ref().filter(|_| is_refused) else { return Ok((response, lease, secrets)) };
            if is_second {
                // If a newly issued token is refused, do not request a third.
                return if status == StatusCode::FORBIDDEN {
                    Ok((response, lease, secrets))
                } else {
                    Err(HttpFault::Login("it does not take a token that was issued a moment ago".to_owned()))
                };
            }
            let challenge = Challenge::of(response.headers());
            match login.refused(token.as_ref(), status, challenge).await? {
                Some(other) => (token, is_second) = (Some(other), true),
                None => return Ok((response, lease, secrets)),
            }
        }
    }

    async fn send(
        &self,
        request: Builder,
        body: Bytes,
        patience: Duration,
    ) -> Result<(Response<Incoming>, Lease), HttpFault> {
        let request = request.body(Full::new(body));
        let request = request.map_err(|_| HttpFault::Unreachable("the request cannot be sent".to_owned()))?;
        self.wire.send(request, patience).await
    }

    /// Notes a failure that ends the connection or explains its end.
    fn noted(&self, fault: HttpFault) -> Failed {
        self.notes.failed(fault.clone());
        StreamableHttpError::Client(fault)
    }

    /// The failure of an error status; `None` if the body may say more.
    async fn refused(&self, status: StatusCode, headers: &HeaderMap, has_session: bool) -> Option<HttpFault> {
        if status == StatusCode::UNAUTHORIZED {
            // A command may print another one next time.
            *self.token.lock().await = None;
        }
        let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let wait = text(header::RETRY_AFTER).and_then(|wait| wait.trim().parse().ok()).map(Duration::from_secs);
        let status_fault = HttpFault::Status { status: status.as_u16(), wait: wait.map(|wait| wait.min(MINUTE * 60)) };
        match status {
            StatusCode::NOT_FOUND if has_session => Some(HttpFault::SessionLost),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS => Some(status_fault),
            status if status.is_redirection() => Some(HttpFault::Protocol(format!(
                "it answers with a redirect (HTTP status {}), which is not followed",
                status.as_u16()
            ))),
            _ if is_type(headers, JSON) => None,
            _ => Some(status_fault),
        }
    }

    async fn post(
        self: &Arc<Self>,
        message: &ClientJsonRpcMessage,
        session: Option<&str>,
        headers: &HashMap<HeaderName, HeaderValue>,
        most: usize,
    ) -> Result<StreamableHttpPostResponse, HttpFault> {
        let body = serde_json::to_vec(message).map_err(|error| HttpFault::Unreachable(error.to_string()))?;
        let exchange = Exchange {
            method: Method::POST,
            session,
            headers,
            more: vec![(header::CONTENT_TYPE, JSON), (header::ACCEPT, "application/json, text/event-stream")],
            body: body.into(),
            patience: self.patience,
        };
        let (response, lease, secrets) = self.exchange(exchange).await?;
        let (head, body) = response.into_parts();
        let (id, is_discovery) = asked(message);
        if !head.status.is_success() {
            return match self.refused(head.status, &head.headers, session.is_some()).await {
                None => {
                    let explained = whole(body, lease, MAX_EXPLANATION).await.ok();
                    let said = explained.and_then(|body| events::message(&body, &secrets));
                    explanation(said, id, head.status)
                }
                // Servers of earlier revisions may answer so to a request they do not know.
                Some(HttpFault::Status { status, .. }) if is_discovery && is_unknown(head.status) => {
                    let error = ErrorData::invalid_request(format!("HTTP status {status}"), None);
                    Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::error(error, id), None))
                }
                Some(fault) => Err(fault),
            };
        }
        let Some(id) = id else { return Ok(StreamableHttpPostResponse::Accepted) };
        if matches!(head.status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Err(HttpFault::Protocol("it took a request and gave no answer".to_owned()));
        }
        let given = session_of(&head.headers)?;
        if is_type(&head.headers, EVENTS) {
            let events = self.events(Pieces::new(body, lease, most, true), secrets);
            return Ok(StreamableHttpPostResponse::Sse(events, given));
        }
        if !is_type(&head.headers, JSON) {
            return Err(wrong_type(&head.headers));
        }
        let text = whole(body, lease, most).await?;
        let said = events::message(&text, &secrets)
            .ok_or_else(|| HttpFault::Protocol("its answer is not a message of MCP".to_owned()))?;
        if answered(&said).is_none_or(|answered| *answered != id) {
            return Err(HttpFault::Protocol("it answered another request".to_owned()));
        }
        if is_discovery && is_no_discovery(&said) {
            // Some servers of earlier revisions answer anything with an empty result.
            let error = ErrorData::invalid_request("its answer names no revision", None);
            return Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::error(error, Some(id)), None));
        }
        Ok(StreamableHttpPostResponse::Json(said, given))
    }

    async fn stream(
        self: &Arc<Self>,
        session: Option<&str>,
        last_event: Option<String>,
        headers: &HashMap<HeaderName, HeaderValue>,
        most: usize,
    ) -> Result<Events, Failed> {
        if self.notes.fault().is_some() {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        self.wait_for_turn().await;
        let is_resumed = last_event.is_some();
        let mut more = vec![(header::ACCEPT, EVENTS)];
        more.extend(last_event.as_deref().map(|last_event| (LAST_EVENT, last_event)));
        let exchange =
            Exchange { method: Method::GET, session, headers, more, body: Bytes::new(), patience: STREAM_PATIENCE };
        let (response, lease, secrets) = self.exchange(exchange).await.map_err(Failed::Client)?;
        let (head, body) = response.into_parts();
        let status = head.status;
        if status == StatusCode::METHOD_NOT_ALLOWED {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        if !status.is_success() {
            let fault = self.refused(status, &head.headers, session.is_some()).await;
            let is_wanted = is_resumed || matches!(fault, Some(HttpFault::SessionLost)) || status.is_server_error();
            // A server may refuse the stream for unsolicited messages: then it sends none.
            return Err(match fault {
                _ if !is_wanted => StreamableHttpError::ServerDoesNotSupportSse,
                Some(fault) => Failed::Client(fault),
                None => Failed::Client(HttpFault::Status { status: status.as_u16(), wait: None }),
            });
        }
        if !is_type(&head.headers, EVENTS) {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        Ok(self.events(Pieces::new(body, lease, most, is_resumed), secrets))
    }

    /// The sanitized events of a body. The first fault is the last event.
    fn events(self: &Arc<Self>, pieces: Pieces, secrets: Vec<Secret>) -> Events {
        let state = Arc::clone(self);
        let tidied = SseStream::from_bytes_stream(pieces).map(move |event| match event {
            Ok(event) => events::sanitize_event(event, &secrets, &state.notes).ok_or_else(|| too_noisy(&state.notes)),
            Err(SseError::Body(error)) => {
                if let Some(fault @ HttpFault::Protocol(_)) = error.downcast_ref::<HttpFault>() {
                    // Requesting it again would give the same oversized event.
                    state.notes.end(fault.to_string());
                }
                Err(SseError::Body(error))
            }
            Err(error) => {
                state.notes.end(format!("its events cannot be read: {error}"));
                Err(error)
            }
        });
        let mut is_over = false;
        tidied.take_while(move |event| ready(!std::mem::replace(&mut is_over, event.is_err()))).boxed()
    }

    /// Limits the rate of streams: a server may end every stream at once.
    async fn wait_for_turn(&self) {
        let wait = {
            let mut opened = self.opened.locked();
            opened.retain(|at| at.elapsed() < MINUTE);
            let wait = opened
                .front()
                .filter(|_| opened.len() >= STREAMS_A_MINUTE)
                .map(|at| MINUTE.saturating_sub(at.elapsed()));
            opened.push_back(Instant::now());
            wait
        };
        if let Some(wait) = wait {
            tokio::time::sleep(wait).await;
        }
    }
}

fn too_noisy(notes: &Notes) -> SseError {
    let fault = HttpFault::Protocol(notes.fault().unwrap_or_default());
    SseError::Body(Box::new(fault))
}

/// The id of a request, and whether it asks for the supported revisions.
fn asked(message: &ClientJsonRpcMessage) -> (Option<RequestId>, bool) {
    match message {
        ClientJsonRpcMessage::Request(request) => {
            (Some(request.id.clone()), matches!(request.request, ClientRequest::DiscoverRequest(_)))
        }
        _ => (None, false),
    }
}

/// Whether the status means that the server does not know the request, not that it rejects the
/// client.
fn is_unknown(status: StatusCode) -> bool {
    status.is_client_error() && status != StatusCode::UNAUTHORIZED && status != StatusCode::FORBIDDEN
}

fn is_no_discovery(message: &ServerJsonRpcMessage) -> bool {
    matches!(message, ServerJsonRpcMessage::Response(response) if !matches!(response.result, ServerResult::DiscoverResult(_)))
}

/// The id of the request that a message answers.
fn answered(message: &ServerJsonRpcMessage) -> Option<&RequestId> {
    match message {
        ServerJsonRpcMessage::Response(response) => Some(&response.id),
        ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => None,
    }
}

/// A protocol error that came with an error status. It is attributed to the sent request, whatever
/// id it has.
fn explanation(
    said: Option<ServerJsonRpcMessage>,
    id: Option<RequestId>,
    status: StatusCode,
) -> Result<StreamableHttpPostResponse, HttpFault> {
    match (said, id) {
        (Some(ServerJsonRpcMessage::Error(error)), Some(id)) => {
            Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::error(error.error, Some(id)), None))
        }
        _ => Err(HttpFault::Status { status: status.as_u16(), wait: None }),
    }
}

/// The session id that a server assigned.
fn session_of(headers: &HeaderMap) -> Result<Option<String>, HttpFault> {
    let Some(value) = headers.get(SESSION) else { return Ok(None) };
    let fits = value.len() <= MAX_SESSION_LEN && !value.is_empty();
    let text = value.to_str().ok().filter(|text| fits && text.bytes().all(|byte| byte.is_ascii_graphic()));
    let text = text.ok_or_else(|| HttpFault::Protocol("the id of its session cannot be used".to_owned()))?;
    Ok(Some(text.to_owned()))
}

fn is_type(headers: &HeaderMap, expected: &str) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case(expected))
}

fn wrong_type(headers: &HeaderMap) -> HttpFault {
    let kind = headers.get(header::CONTENT_TYPE).map_or_else(
        || "no type".to_owned(),
        |kind| {
            format!(
                "the type `{}`",
                shown(&String::from_utf8_lossy(kind.as_bytes()).chars().take(60).collect::<String>())
            )
        },
    );
    HttpFault::Protocol(format!("its answer has {kind} instead of JSON or events"))
}

impl StreamableHttpClient for Remote {
    type Error = HttpFault;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let most = MAX_MESSAGE_BYTES;
        self.post_message_with_max_sse_event_size(uri, message, session_id, auth_header, custom_headers, most).await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        _: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        _: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
        most: usize,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let answer = self.0.post(&message, session_id.as_deref(), &custom_headers, most).await;
        answer.map_err(|fault| self.0.noted(fault))
    }

    async fn delete_session(
        &self,
        _: Arc<str>,
        session_id: Arc<str>,
        _: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failed> {
        let ended = async {
            let token = self.0.token().await?;
            let (request, _) = self.0.request(Method::DELETE, Some(&session_id), &custom_headers, token.as_ref())?;
            self.0.send(request, Bytes::new(), STREAM_PATIENCE).await
        };
        // Nobody waits for the result; if it fails, the server ends the session by its own time
        // limit.
        if let Err(fault) = ended.await {
            tracing::debug!(%fault, "a session was not ended");
        }
        Ok(())
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<Events, Failed> {
        let most = MAX_MESSAGE_BYTES;
        self.get_stream_with_max_sse_event_size(uri, session_id, last_event_id, auth_header, custom_headers, most).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        _: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        _: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
        most: usize,
    ) -> Result<Events, Failed> {
        self.0.stream(session_id.as_deref(), last_event_id, &custom_headers, most).await
    }
}
