//! Sends requests over connections to vetted addresses. A connection is reused after its answer was
//! read completely. Cookies, redirects and retries are not supported.

use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::Full;
use hyper::{Request, Response, body::Incoming, client::conn::http1};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tools_core::Locked as _;
use tools_egress::dial::{DialError, Tcp, dial};
use tools_egress::guard::{Guard, Refusal, SystemResolver};
use tools_tls::TlsClient;

use super::{fault::HttpFault, place::Place};
use crate::error::shown;

/// Time limit for connecting, including TLS.
const CONNECT: Duration = Duration::from_secs(20);
/// Maximum size in bytes of the head of an answer.
const MAX_HEAD_BYTES: usize = 64 << 10;
/// Maximum number of idle connections.
const MAX_IDLE: usize = 4;
/// Idle time of a connection: less than what servers grant.
const IDLE: Duration = Duration::from_secs(4);

/// State shared by all servers over HTTP: name resolution and TLS. Created at the first connection.
pub(crate) struct Net {
    guard: Guard,
    tls: TlsClient,
}

impl Default for Net {
    fn default() -> Self {
        Self { guard: Guard::new(Arc::new(SystemResolver::new())), tls: TlsClient::default() }
    }
}

tools_core::partial_debug!(Net {});

impl Net {
    /// Whether a place may be contacted now, without doing so.
    pub(crate) async fn judge(&self, place: &Place) -> Result<(), Refusal> {
        place.vetted(&self.guard).await.map(drop)
    }
}

/// Connections to one server.
pub(crate) struct Wire {
    pub(crate) place: Place,
    net: Arc<Net>,
    idle: Arc<Idle>,
}

/// Idle connections.
#[derive(Default)]
struct Idle(Mutex<Vec<(Line, Instant)>>);

impl Idle {
    fn take(&self) -> Option<Line> {
        let mut idle = self.0.locked();
        idle.retain(|(line, since)| since.elapsed() < IDLE && !line.sender.is_closed());
        idle.pop().map(|(line, _)| line)
    }

    fn put(&self, line: Line) {
        let mut idle = self.0.locked();
        idle.retain(|(_, since)| since.elapsed() < IDLE);
        if idle.len() < MAX_IDLE {
            idle.push((line, Instant::now()));
        }
    }
}

/// A connection.
struct Line {
    sender: http1::SendRequest<Full<Bytes>>,
    _driver: Driver,
}

/// Drives a connection; closes it when dropped.
struct Driver(JoinHandle<()>);

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The connection whose answer is being read. Dropping it before the end of the answer closes the
/// connection.
pub(crate) struct Lease {
    line: Option<Line>,
    idle: Weak<Idle>,
}

impl Lease {
    /// Marks the answer as read completely: the connection can be reused.
    pub(crate) fn give_back(&mut self) {
        if let (Some(line), Some(idle)) = (self.line.take(), self.idle.upgrade()) {
            idle.put(line);
        }
    }
}

impl Wire {
    pub(crate) fn new(place: Place, net: Arc<Net>) -> Self {
        Self { place, net, idle: Arc::default() }
    }

    /// Sends a request, and waits up to a time limit for the head of its answer.
    pub(crate) async fn send(
        &self,
        mut request: Request<Full<Bytes>>,
        patience: Duration,
    ) -> Result<(Response<Incoming>, Lease), HttpFault> {
        let answered = async {
            while let Some(mut line) = self.idle.take() {
                match line.sender.try_send_request(request).await {
                    Ok(response) => return Ok((response, line)),
                    // The server closed the connection before it saw the request.
                    Err(mut error) => match error.take_message() {
                        Some(unsent) => request = unsent,
                        None => return Err(broken(error.error())),
                    },
                }
            }
            let mut line = self.line().await?;
            let response = line.sender.send_request(request).await.map_err(|error| broken(&error))?;
            Ok((response, line))
        };
        let (response, line) = timeout(patience, answered)
            .await
            .map_err(|_| HttpFault::Broken(format!("no answer within {} s", patience.as_secs())))??;
        Ok((response, Lease { line: Some(line), idle: Arc::downgrade(&self.idle) }))
    }

    /// A new connection.
    async fn line(&self) -> Result<Line, HttpFault> {
        let made = timeout(CONNECT, async {
            let vetted = self.place.vetted(&self.net.guard).await.map_err(HttpFault::Refused)?;
            let (stream, _) = dial(&Tcp, &vetted).await.map_err(|error| match error {
                DialError::Refused(refusal) => HttpFault::Refused(refusal),
                other @ DialError::Connect { .. } => HttpFault::Unreachable(other.to_string()),
            })?;
            if self.place.is_tls {
                let host = self.place.host.to_string();
                let failed = |error| HttpFault::Unreachable(format!("no TLS with `{host}`: {error}"));
                handshake(self.net.tls.connect(&host, stream).await.map_err(failed)?).await
            } else {
                handshake(stream).await
            }
        });
        let late = |_| HttpFault::Unreachable(format!("no connection to `{}` in time", self.place.authority));
        made.await.map_err(late)?
    }
}

async fn handshake<S>(stream: S) -> Result<Line, HttpFault>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut builder = http1::Builder::new();
    builder.max_buf_size(MAX_HEAD_BYTES);
    let made = builder.handshake(TokioIo::new(stream)).await;
    let (sender, connection) = made.map_err(|error| HttpFault::Unreachable(error.to_string()))?;
    // The request or the body reports errors of the connection.
    Ok(Line { sender, _driver: Driver(tokio::spawn(async move { drop(connection.await) })) })
}

/// Describes hyper's error for a missing answer; the words are hyper's, not the server's.
fn broken(error: &hyper::Error) -> HttpFault {
    if error.is_parse() {
        return HttpFault::Protocol(format!("its answer is no HTTP: {}", shown(&error.to_string())));
    }
    HttpFault::Broken(shown(&error.to_string()))
}
