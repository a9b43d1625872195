//! Answers to requests that are refused before they reach a session.

use std::{convert::Infallible, time::Duration};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, combinators::BoxBody};
use hyper::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};
use serde_json::{Value, json};
use tools_core::{ElsewhereError, ServerName};

use crate::{headers::SERVER_HEADER, server_name};

pub(crate) type Answer = Response<BoxBody<Bytes, Infallible>>;

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The path is not the served one.
    Path,
    /// The token is missing or unknown.
    Token,
    /// The body is longer than this many bytes.
    Body(usize),
    /// The body did not arrive in time.
    Slow,
    /// The body is incomplete.
    Broken,
    /// A checked header occurs twice: intermediaries may read the other one.
    Ambiguous,
    /// The guest has the maximum number of sessions.
    Sessions(usize),
    /// The session belongs to another server.
    Elsewhere(ServerName),
    /// A request with the same id is in progress.
    Unanswered(Value),
}

/// Time after which a client refused for the number of its sessions may retry.
const TRY_AGAIN: Duration = Duration::from_secs(30);

impl Refusal {
    /// The answer: a status, and a JSON-RPC error.
    pub(crate) fn answer(self) -> Answer {
        let (status, text) = match &self {
            Self::Path => (StatusCode::NOT_FOUND, "the server is at `/mcp`".to_owned()),
            Self::Token => {
                let text = "a valid token is needed: send the header `Authorization: Bearer TOKEN`";
                (StatusCode::UNAUTHORIZED, text.to_owned())
            }
            Self::Body(most) => (StatusCode::PAYLOAD_TOO_LARGE, format!("a request may have at most {most} bytes")),
            Self::Slow => (StatusCode::REQUEST_TIMEOUT, "the body of the request did not come in time".to_owned()),
            Self::Broken => (StatusCode::BAD_REQUEST, "the body of the request is not complete".to_owned()),
            Self::Ambiguous => (StatusCode::BAD_REQUEST, "`Host` and `Origin` may come once each".to_owned()),
            Self::Sessions(most) => {
                let text = format!("this token has {most} sessions already: end one, or try again later");
                (StatusCode::SERVICE_UNAVAILABLE, text)
            }
            // The message itself is well-formed, as over standard input and output.
            Self::Unanswered(_) => (StatusCode::OK, "a request with this id has not been answered yet".to_owned()),
            // On this status clients begin a new session.
            Self::Elsewhere(server) => (StatusCode::NOT_FOUND, format!("the session is one of the server `{server}`")),
        };
        let id = if let Self::Unanswered(id) = &self { id.clone() } else { Value::Null };
        let mut error = json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32600, "message": text}});
        if let Self::Elsewhere(server) = &self {
            error["error"]["data"] = json!({"code": ElsewhereError::CODE, "server": server.to_string()});
        }
        let mut answer = Response::new(Full::new(Bytes::from(error.to_string())).boxed());
        *answer.status_mut() = status;
        let headers = answer.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        match self {
            Self::Token => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            Self::Sessions(_) => {
                headers.insert(RETRY_AFTER, HeaderValue::from(TRY_AGAIN.as_secs()));
            }
            Self::Elsewhere(server) => {
                headers.insert(SERVER_HEADER, server_name::header(&server));
            }
            Self::Path | Self::Body(_) | Self::Slow | Self::Broken | Self::Ambiguous | Self::Unanswered(_) => {}
        }
        answer
    }
}
