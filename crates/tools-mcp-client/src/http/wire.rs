//! Requests over connections to judged addresses. A connection whose answer was read to its end
//! serves a further request; nothing else is kept, followed or repeated.

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

/// How long a connection may take, TLS included.
const CONNECT: Duration = Duration::from_secs(20);
/// The head of an answer is read up to so many bytes.
const MAX_HEAD_BYTES: usize = 64 << 10;
/// Connections that wait for a further request.
const MAX_IDLE: usize = 4;
/// How long one waits: less than what servers grant.
const IDLE: Duration = Duration::from_secs(4);

/// What all servers over HTTP share: the look-up of names and TLS. Made at the first connection.
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
    /// Whether a place may be dialled now, without doing so.
    pub(crate) async fn judge(&self, place: &Place) -> Result<(), Refusal> {
        place.vetted(&self.guard).await.map(drop)
    }
}

/// The way to one server.
pub(crate) struct Wire {
    pub(crate) place: Place,
    net: Arc<Net>,
    idle: Arc<Idle>,
}

/// Connections without a request.
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

/// The connection of an answer that is being read. Dropped before the end of the answer, it is
/// closed.
pub(crate) struct Lease {
    line: Option<Line>,
    idle: Weak<Idle>,
}

impl Lease {
    /// The answer was read to its end: the connection may serve another request.
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

    /// Sends a request, and waits for the head of its answer for so long.
    pub(crate) async fn send(
        &self,
        mut request: Request<Full<Bytes>>,
        patience: Duration,
    ) -> Result<(Response<Incoming>, Lease), HttpFault> {
        let answered = async {
            while let Some(mut line) = self.idle.take() {
                match line.sender.try_send_request(request).await {
                    Ok(response) => return Ok((response, line)),
                    // The server closed it meanwhile and has not seen the request.
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
    // What goes wrong with the connection is told by the request or the body.
    Ok(Line { sender, _driver: Driver(tokio::spawn(async move { drop(connection.await) })) })
}

/// What hyper says of an answer that did not come; the words are its own, not the server's.
fn broken(error: &hyper::Error) -> HttpFault {
    if error.is_parse() {
        return HttpFault::Protocol(format!("its answer is no HTTP: {}", shown(&error.to_string())));
    }
    HttpFault::Broken(shown(&error.to_string()))
}
