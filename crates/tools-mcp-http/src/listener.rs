//! Accepts connections and routes each request to the server of its guest.

use std::{convert::Infallible, net::SocketAddr, sync::Arc, time::Duration};

use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::Request;
use hyper::body::Incoming;
use hyper::header::{CONTENT_LENGTH, HOST, HeaderName, ORIGIN};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tools_core::in_runtime;

use crate::guest::token_of;
use crate::refusal::{Answer, Refusal};
use crate::{Guest, GuestList, HttpError, HttpSettings, ServerName, server_name};

/// Time limit for a client's TLS handshake, and for the headers of each request.
const GREETING: Duration = Duration::from_secs(10);
/// Time limit for the body of a request.
const BODY: Duration = Duration::from_mins(1);
/// Time for sending answers after the server was asked to end.
const PATIENCE: Duration = Duration::from_secs(3);
/// Pause when the machine has no more descriptors.
const BREATH: Duration = Duration::from_millis(100);
const PATH: &str = "/mcp";

/// A server that listens but does not serve yet.
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    guests: GuestList,
    settings: HttpSettings,
}

impl HttpServer {
    /// Listens on an address; port 0 takes a free one.
    ///
    /// # Errors
    /// [`HttpError`]: no guest, two with one token, an address other than loopback without TLS, or
    /// an address that cannot be used.
    pub fn bind(address: SocketAddr, guests: Vec<Guest>, settings: HttpSettings) -> Result<Self, HttpError> {
        if guests.is_empty() {
            return Err(HttpError::NoGuest);
        }
        if !address.ip().is_loopback() && settings.tls.is_none() {
            return Err(HttpError::Unencrypted(address));
        }
        let failed = |source| HttpError::Address { address, source };
        let bound = in_runtime(|| {
            let listener = std::net::TcpListener::bind(address)?;
            listener.set_nonblocking(true)?;
            TcpListener::from_std(listener)
        });
        let listener = bound?.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let guests = GuestList::new(guests, settings.answered_hosts(address), settings.clone())?;
        Ok(Self { listener, address, guests, settings })
    }

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The guests, which can be replaced while the server runs.
    pub fn guests(&self) -> GuestList {
        self.guests.clone()
    }

    /// The URL for clients.
    pub fn url(&self) -> String {
        let scheme = if self.settings.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}{PATH}", self.address)
    }

    /// Serves until `stop` is cancelled. Calls that still run then are dropped and recorded.
    pub async fn serve_until(self, stop: CancellationToken) {
        let Self { listener, guests, settings, .. } = self;
        let (name, max_body) = (settings.name.clone(), settings.max_body);
        let house = Arc::new(ServerState { guests: guests.clone(), name, max_body });
        let (room, open) = (Arc::new(Semaphore::new(settings.max_connections)), TaskTracker::new());
        loop {
            let accepted = tokio::select! {
                () = stop.cancelled() => break,
                accepted = listener.accept() => accepted,
            };
            let (stream, peer) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "a connection cannot be taken");
                    sleep(BREATH).await;
                    continue;
                }
            };
            let Ok(place) = Arc::clone(&room).try_acquire_owned() else {
                tracing::warn!(%peer, "there are too many connections: this one is closed");
                continue;
            };
            let (house, tls, stop) = (Arc::clone(&house), settings.tls.clone(), stop.clone());
            open.spawn(async move {
                let _place = place;
                match tls {
                    None => house.serve(stream, peer, &stop).await,
                    Some(tls) => match timeout(GREETING, tls.acceptor().accept(stream)).await {
                        Ok(Ok(stream)) => house.serve(stream, peer, &stop).await,
                        Ok(Err(error)) => tracing::debug!(%peer, %error, "no TLS connection came about"),
                        Err(_) => tracing::debug!(%peer, "no TLS connection came about in time"),
                    },
                }
            });
        }
        guests.end();
        open.close();
        let _ = timeout(PATIENCE, open.wait()).await;
    }
}

tools_core::partial_debug!(HttpServer { address, guests });

/// State shared by all connections.
struct ServerState {
    guests: GuestList,
    name: Option<ServerName>,
    max_body: usize,
}

impl ServerState {
    async fn serve(
        self: &Arc<Self>,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        peer: SocketAddr,
        stop: &CancellationToken,
    ) {
        let house = Arc::clone(self);
        let answer = service_fn(move |request| {
            let house = Arc::clone(&house);
            async move { Ok::<_, Infallible>(house.answer(request, peer).await) }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(GREETING)
            .serve_connection(TokioIo::new(stream), answer);
        let mut connection = std::pin::pin!(connection);
        let served = tokio::select! {
            served = connection.as_mut() => served,
            () = stop.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = served {
            tracing::debug!(%peer, %error, "a connection ended");
        }
    }

    async fn answer(&self, request: Request<Incoming>, peer: SocketAddr) -> Answer {
        let mut answer = match self.answered(request, peer).await {
            Ok(answer) => answer,
            Err(refusal) => {
                tracing::warn!(%peer, ?refusal, "a request is refused");
                refusal.answer()
            }
        };
        if let Some(name) = &self.name {
            server_name::put_on(name, answer.headers_mut());
        }
        answer
    }

    async fn answered(&self, request: Request<Incoming>, peer: SocketAddr) -> Result<Answer, Refusal> {
        if request.uri().path() != PATH {
            return Err(Refusal::Path);
        }
        let token = token_of(request.headers()).ok_or(Refusal::Token)?;
        let guest = self.guests.of_token(&token).ok_or(Refusal::Token)?;
        let (mut parts, body) = request.into_parts();
        if let Some(name) = &self.name {
            server_name::take_off(name, &mut parts.headers).map_err(Refusal::Elsewhere)?;
        }
        // If the announced length is too large, do not read the body.
        let announced = parts.headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if announced.is_some_and(|length| usize::try_from(length).map_or(true, |length| length > self.max_body)) {
            return Err(Refusal::Body(self.max_body));
        }
        let is_ambiguous = |name: &HeaderName| parts.headers.get_all(name).iter().nth(1).is_some();
        if is_ambiguous(&HOST) || is_ambiguous(&ORIGIN) {
            return Err(Refusal::Ambiguous);
        }
        let body = timeout(BODY, Limited::new(body, self.max_body).collect()).await.map_err(|_| Refusal::Slow)?;
        let body = body.map_err(|error| match error.downcast_ref::<LengthLimitError>() {
            Some(_) => Refusal::Body(self.max_body),
            None => Refusal::Broken,
        })?;
        tracing::debug!(%peer, guest = guest.name, method = %parts.method, "a request");
        guest.answer(parts, body.to_bytes()).await
    }
}
