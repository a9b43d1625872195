//! One HTTP request over a connection of its own, which is closed afterwards.

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{self, HeaderMap, HeaderName};
use hyper::{Method, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::task::JoinHandle;
use tools_egress::dial::{Dialer, dial};
use tools_tls::{TlsClient, TlsError};

use super::body::{Body, Intake};
use super::request::Request;
use crate::error::WebError;
use crate::guard::{PageUrl, VettedHost};

/// Maximum size of the response headers in bytes.
const MAX_HEADER: usize = 64 * 1024;

/// The head of a response, with its body still on the wire.
pub(super) struct ResponseHead {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    body: Incoming,
    _connection: Connection,
}

/// Drives the connection; closes it when dropped.
struct Connection(JoinHandle<()>);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Sends a request for `url` to the vetted addresses of its host.
pub(super) async fn exchange(
    (dialer, tls): (&dyn Dialer, &TlsClient),
    vetted: &VettedHost,
    url: &PageUrl,
    request: &Request<'_>,
) -> Result<ResponseHead, WebError> {
    let (stream, _) = dial(dialer, vetted).await?;
    let host = vetted.host().to_string();
    let stream = tls.connect(&host, stream).await.map_err(|error| match error {
        TlsError::Failed(problem) => WebError::Tls { host, problem },
        TlsError::Certificate(problem) => WebError::Certificate { host, problem },
    })?;
    let mut builder = http1::Builder::new();
    builder.max_buf_size(MAX_HEADER);
    let (mut sender, connection) = builder.handshake(TokioIo::new(stream)).await.map_err(WebError::Http)?;
    // The request or the body reports a failure of the connection.
    let connection = Connection(tokio::spawn(async move { drop(connection.await) }));
    let message = message(url, request)?;
    let (head, body) = sender.send_request(message).await.map_err(WebError::Http)?.into_parts();
    Ok(ResponseHead { status: head.status, headers: head.headers, body, _connection: connection })
}

fn message(url: &PageUrl, request: &Request<'_>) -> Result<hyper::Request<Empty<Bytes>>, WebError> {
    let query = url.url().query().map(|query| format!("?{query}")).unwrap_or_default();
    let authority = match url.url().port() {
        Some(port) => format!("{}:{port}", url.host()),
        None => url.host().to_string(),
    };
    let mut message = hyper::Request::builder()
        .method(Method::GET)
        .uri(format!("{}{query}", url.url().path()))
        .header(header::HOST, authority)
        .header(header::USER_AGENT, request.user_agent)
        .header(header::ACCEPT, request.accept)
        .header(header::ACCEPT_ENCODING, "gzip, deflate")
        .header(header::CONNECTION, "close");
    for (name, value) in [(header::IF_NONE_MATCH, request.etag), (header::IF_MODIFIED_SINCE, request.modified)] {
        message = value.into_iter().fold(message, |message, value| message.header(&name, value));
    }
    message.body(Empty::new()).map_err(|_| WebError::Refused(crate::guard::Refusal::Malformed("it cannot be sent")))
}

impl ResponseHead {
    /// A header as text; `None` when it is missing or not text.
    pub(super) fn header(&self, name: &HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Reads the body up to its limits, then closes the connection.
    pub(super) async fn read(mut self, most: usize) -> Result<(Self, Body), WebError> {
        let encodings: Vec<_> =
            self.headers.get_all(header::CONTENT_ENCODING).iter().filter_map(|v| v.to_str().ok()).collect();
        let mut intake = Intake::new((!encodings.is_empty()).then(|| encodings.join(", ")).as_deref(), most)?;
        while let Some(frame) = self.body.frame().await {
            let frame = frame.map_err(WebError::Http)?;
            if let Some(piece) = frame.data_ref()
                && !intake.take(piece)?
            {
                return Ok((self, intake.finish(false)?));
            }
        }
        Ok((self, intake.finish(true)?))
    }
}
