//! Sends a request to the server and reads its answer, with limits on time and size. Follows no
//! redirect and uses no proxy, so the key goes only to the configured server.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::header::{self, HeaderValue};
use hyper::{Method, Request};
use serde_json::Value;
use tools_tls::Endpoint;

use crate::vectors::ChunkIndexError;

/// Maximum length of an answer: a page of a thousand names, or a hundred points.
const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;

/// A Qdrant server.
pub(super) struct Server {
    endpoint: Endpoint,
    key: Option<HeaderValue>,
    timeout: Duration,
}

tools_core::partial_debug!(Server { endpoint });

/// The answer of the server.
pub(super) enum ServerAnswer {
    /// The `result` of its answer.
    Result(Value),
    /// The collection does not exist.
    Missing,
    /// The collection exists already.
    Conflict,
}

impl Server {
    pub(super) fn new(endpoint: Endpoint, key: Option<HeaderValue>, timeout: Duration) -> Self {
        Self { endpoint, key, timeout }
    }

    /// Sends a request and reads its answer.
    pub(super) async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<ServerAnswer, ChunkIndexError> {
        let slow = |_| ChunkIndexError::Slow(self.timeout.as_secs());
        tokio::time::timeout(self.timeout, self.exchange(method, path, body)).await.map_err(slow)?
    }

    async fn exchange(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<ServerAnswer, ChunkIndexError> {
        let (mut sender, _connection) = self.endpoint.connect(self.timeout).await.map_err(|_| self.unreachable())?;
        let body = body.map(Value::to_string).unwrap_or_default();
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.endpoint.prefix()))
            .header(header::HOST, self.endpoint.authority())
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json")
            .header(header::USER_AGENT, concat!("haft/", env!("CARGO_PKG_VERSION")));
        if let Some(key) = &self.key {
            request = request.header("api-key", key);
        }
        let request = request.body(Full::new(Bytes::from(body))).map_err(|_| self.unreachable())?;
        let response = sender.send_request(request).await.map_err(|_| self.unreachable())?;
        match response.status().as_u16() {
            200..=299 => {}
            401 | 403 => return Err(ChunkIndexError::Refused),
            404 => return Ok(ServerAnswer::Missing),
            409 => return Ok(ServerAnswer::Conflict),
            status => return Err(ChunkIndexError::Status(status)),
        }
        let mut stream = response.into_body();
        let mut whole = Vec::new();
        while let Some(frame) = stream.frame().await {
            let bytes = frame.map_err(|_| ChunkIndexError::Malformed)?.into_data().unwrap_or_default();
            if whole.len() + bytes.len() > MAX_ANSWER_BYTES {
                return Err(ChunkIndexError::Malformed);
            }
            whole.extend_from_slice(&bytes);
        }
        let mut answer: Value = serde_json::from_slice(&whole).map_err(|_| ChunkIndexError::Malformed)?;
        answer.get_mut("result").map(Value::take).map(ServerAnswer::Result).ok_or(ChunkIndexError::Malformed)
    }

    fn unreachable(&self) -> ChunkIndexError {
        ChunkIndexError::Unreachable(self.endpoint.authority().to_owned())
    }
}
