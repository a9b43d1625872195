//! A provider at a server: each request uses a separate connection, and the answer is decoded as it
//! arrives.

use std::{fmt, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::{Request as HttpRequest, Response};
use tokio::{sync::Mutex, time::timeout};
use tools_core::{Clock as _, SystemClock};
use tools_tls::{Connection, Endpoint};

use super::key::{Key, KeyReader};
use crate::codec::{Decoder, Options, ReplyError, encode, path, refused, retry_after};
use crate::{ModelInfo, Protocol, Provider, ProviderError, ProviderFault, Reply, Request, Sink};

/// Time limit for connecting, including TLS.
const CONNECT: Duration = Duration::from_secs(20);
/// Maximum size in bytes of a server's error that is read.
const MAX_ERROR: usize = 64 * 1024;
/// Maximum size in bytes of an answer that is not a stream.
const MAX_BODY: usize = 64 * 1024 * 1024;

/// A model at a server.
///
/// Follows no redirects and uses no proxy: the key is sent to the configured server only.
pub struct HttpProvider {
    name: String,
    options: Options,
    info: ModelInfo,
    endpoint: Endpoint,
    keys: Option<KeyReader>,
    key: Mutex<Option<Key>>,
    stall: Duration,
}

impl fmt::Debug for HttpProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, info, endpoint, .. } = self;
        f.debug_struct("HttpProvider")
            .field("name", name)
            .field("model", &info.id)
            .field("endpoint", endpoint)
            .finish_non_exhaustive()
    }
}

/// Failure of an exchange, without the provider's name.
type ExchangeError = (ProviderFault, String);

impl HttpProvider {
    pub(super) fn new(
        name: &str,
        options: Options,
        info: ModelInfo,
        endpoint: Endpoint,
        keys: Option<KeyReader>,
        stall: Duration,
    ) -> Self {
        Self { name: name.to_owned(), options, info, endpoint, keys, key: Mutex::default(), stall }
    }

    /// The key, read at the first request that needs it.
    async fn key(&self) -> Result<Option<Key>, ExchangeError> {
        let Some(read) = &self.keys else { return Ok(None) };
        let mut held = self.key.lock().await;
        if held.is_none() {
            *held = Some(read().await.map_err(|problem| (ProviderFault::Auth, format!("there is no key: {problem}")))?);
        }
        Ok(held.clone())
    }

    async fn ask(&self, request: &Request<'_>, key: Option<&Key>, sink: &dyn Sink) -> Result<Reply, ProviderError> {
        let failed = |(fault, message): ExchangeError| self.error(fault, &message, key);
        let body = encode(&self.options, request);
        let message = self.message(body, key).map_err(failed)?;
        let (response, _connection) = self.send(message).await.map_err(failed)?;
        let (head, body) = response.into_parts();
        if !head.status.is_success() {
            let said = self.rest(body, MAX_ERROR).await.unwrap_or_default();
            let broken = refused(head.status.as_u16(), &said);
            let header = |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok());
            return Err(ProviderError {
                status: Some(head.status.as_u16()),
                retry_after: retry_after(header("retry-after"), header("retry-after-ms"), SystemClock.now()),
                ..self.error(broken.fault, &broken.message, key)
            });
        }
        let broken = |broken: ReplyError| failed((broken.fault, broken.message));
        let decoder = Decoder::new(&self.options, request);
        if self.options.protocol != Protocol::Ollama && is_json(&head.headers) {
            let whole = self.rest(body, MAX_BODY).await.map_err(failed)?;
            return decoder.whole(&whole, sink).map_err(broken);
        }
        self.stream(body, decoder, sink).await.map_err(failed)
    }

    async fn stream(
        &self,
        mut body: Incoming,
        mut decoder: Decoder<'_>,
        sink: &dyn Sink,
    ) -> Result<Reply, ExchangeError> {
        let broken = |broken: ReplyError| (broken.fault, broken.message);
        while !decoder.is_done() {
            let Some(bytes) = self.next(&mut body).await? else { break };
            decoder.push(&bytes, sink).map_err(broken)?;
        }
        decoder.finish(sink).map_err(broken)
    }

    /// Reads a body that is not a stream, up to a length.
    async fn rest(&self, mut body: Incoming, most: usize) -> Result<Vec<u8>, ExchangeError> {
        let mut whole = Vec::new();
        while whole.len() < most {
            let Some(bytes) = self.next(&mut body).await? else { break };
            whole.extend_from_slice(&bytes);
        }
        Ok(whole)
    }

    /// The next bytes of a body, empty for a frame without data; `None` at its end.
    async fn next(&self, body: &mut Incoming) -> Result<Option<Bytes>, ExchangeError> {
        match timeout(self.stall, body.frame()).await {
            Err(_) => Err(self.stalled()),
            Ok(None) => Ok(None),
            Ok(Some(Err(_))) => {
                Err((ProviderFault::Truncated, "the connection broke in the middle of the answer".to_owned()))
            }
            Ok(Some(Ok(frame))) => Ok(Some(frame.into_data().unwrap_or_default())),
        }
    }

    fn message(&self, body: Vec<u8>, key: Option<&Key>) -> Result<HttpRequest<Full<Bytes>>, ExchangeError> {
        let protocol = self.options.protocol;
        let mut message = HttpRequest::post(at(&self.endpoint, path(protocol)))
            .header(header::HOST, self.endpoint.authority())
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "text/event-stream, application/x-ndjson, application/json")
            .header(header::USER_AGENT, concat!("haft/", env!("CARGO_PKG_VERSION")));
        if protocol == Protocol::Anthropic {
            message = message.header("anthropic-version", "2023-06-01");
        }
        if let Some(key) = key {
            let (name, text) = match protocol {
                Protocol::Anthropic => ("x-api-key", key.text().to_owned()),
                _ => ("authorization", format!("Bearer {}", key.text())),
            };
            let invalid = |_| (ProviderFault::Auth, "the key cannot stand in a header".to_owned());
            let mut value = HeaderValue::try_from(text).map_err(invalid)?;
            value.set_sensitive(true);
            message = message.header(name, value);
        }
        let invalid = |_| (ProviderFault::InvalidRequest, "the request cannot be sent".to_owned());
        message.body(Full::new(Bytes::from(body))).map_err(invalid)
    }

    async fn send(&self, message: HttpRequest<Full<Bytes>>) -> Result<(Response<Incoming>, Connection), ExchangeError> {
        let network = |problem: String| (ProviderFault::Network, problem);
        let (mut sender, connection) = self.endpoint.connect(CONNECT).await.map_err(network)?;
        match timeout(self.stall, sender.send_request(message)).await {
            Err(_) => Err(self.stalled()),
            Ok(Err(error)) => Err(network(format!("the request to `{}` failed: {error}", self.endpoint.authority()))),
            Ok(Ok(response)) => Ok((response, connection)),
        }
    }

    fn stalled(&self) -> ExchangeError {
        (ProviderFault::Stalled, format!("nothing came for {} seconds", self.stall.as_secs()))
    }

    fn error(&self, fault: ProviderFault, message: &str, key: Option<&Key>) -> ProviderError {
        let message = key.map_or_else(|| message.to_owned(), |key| key.hidden_in(message));
        ProviderError::new(&self.name, fault, message)
    }
}

/// The path of a request at a server.
fn at(server: &Endpoint, path: &str) -> String {
    // Base URLs are in use with and without the version.
    let prefix = match server.prefix().strip_suffix("/v1") {
        Some(prefix) if path.starts_with("v1/") => prefix,
        _ => server.prefix(),
    };
    format!("{prefix}/{path}")
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.trim_start().to_ascii_lowercase().starts_with("application/json")
}

#[async_trait]
impl Provider for HttpProvider {
    fn name(&self) -> &str {
        &self.name
    }

    fn model(&self) -> &ModelInfo {
        &self.info
    }

    async fn complete(&self, request: &Request<'_>, sink: &dyn Sink) -> Result<Reply, ProviderError> {
        let key = self.key().await.map_err(|(fault, message)| self.error(fault, &message, None))?;
        let answer = self.ask(request, key.as_ref(), sink).await;
        if answer.as_ref().is_err_and(|error| error.fault == ProviderFault::Auth) {
            // A command may print another one next time.
            *self.key.lock().await = None;
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_stands_in_a_path_once() {
        let path = |url: &str, path: &str| at(&Endpoint::parse(url, false).unwrap(), path);
        assert_eq!(path("https://a.test/v1/", "chat/completions"), "/v1/chat/completions");
        assert_eq!(path("https://a.test", "v1/messages"), "/v1/messages");
        assert_eq!(path("https://a.test/v1", "v1/messages"), "/v1/messages");
        assert_eq!(path("https://a.test/x/v1/", "v1/messages"), "/x/v1/messages");
    }
}
