//! The server: serves connections in sequence or in parallel, over any pair of streams.

use std::{error::Error, pin::Pin, sync::Arc};

use rmcp::service::{ServerInitializeError, serve_server_with_ct};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::SetOnce;
use tokio_util::sync::CancellationToken;
use tools_core::{SessionId, Stack, in_runtime};

use crate::builder::Settings;
use crate::connected::{ConnectedService, PendingConnection};
use crate::connection::Connection;
use crate::lifetime::{Lifetime, PATIENCE};
use crate::transport::LineTransport;
use crate::{Builder, Greeting, ServeError, stdio};

/// An MCP server for a stack of tools. Clones share everything except connections.
#[derive(Clone)]
pub struct McpServer {
    settings: Arc<Settings>,
}

impl McpServer {
    /// A builder of a server that sends every call through `stack`.
    pub fn builder(stack: Arc<Stack>) -> Builder {
        Builder::new(stack)
    }

    pub(crate) fn new(settings: Arc<Settings>) -> Self {
        Self { settings }
    }

    /// Serves the client on standard input and output until it disconnects or the process gets
    /// `SIGINT`, `SIGTERM` or `SIGHUP`. Running calls are cancelled and recorded first.
    ///
    /// Standard output gets only messages. After this has returned, end the process without waiting
    /// for blocking threads: if standard input is neither a pipe nor a socket, one of them may
    /// still be reading it.
    ///
    /// # Errors
    /// [`ServeError`] when the handshake fails or the machine refuses signals.
    pub async fn serve_stdio(self) -> Result<(), ServeError> {
        in_runtime(|| ())?;
        let stop = CancellationToken::new();
        let (read, write) = stdio::streams();
        let serving = Box::pin(self.serve_until(read, write, stop.clone()));
        until_a_signal(serving, stop).await
    }

    /// Like [`McpServer::serve_stdio`], but answers the handshake at once while `build` runs on its
    /// own thread: loading a configuration takes longer than the handshake. Calls wait until the
    /// server is built.
    ///
    /// The greeting of the built server is not used.
    ///
    /// # Errors
    /// [`ServeError::Setup`] with the error of `build`, even if the client has disconnected;
    /// otherwise as [`McpServer::serve_stdio`].
    pub async fn serve_stdio_while_building<B, E>(greeting: Greeting, build: B) -> Result<(), ServeError>
    where
        B: FnOnce() -> Result<Self, E> + Send + 'static,
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        in_runtime(|| ())?;
        let stop = CancellationToken::new();
        let (read, write) = stdio::streams();
        let serving = Box::pin(Self::serve_while_building(greeting, build, read, write, stop.clone()));
        until_a_signal(serving, stop).await
    }

    /// Creates the service for one client, for hosts with their own transport that distinguishes
    /// clients. Each has its own session, unless the builder was given one, and ends when it is
    /// dropped. `stop` cancels its calls.
    pub fn connected(&self, stop: &CancellationToken) -> ConnectedService {
        self.connected_in(None, stop)
    }

    /// Like [`McpServer::connected`], in the session that the host names, for clients that share
    /// one.
    pub fn connected_to(&self, session: SessionId, stop: &CancellationToken) -> ConnectedService {
        self.connected_in(Some(session), stop)
    }

    fn connected_in(&self, session: Option<SessionId>, stop: &CancellationToken) -> ConnectedService {
        let lifetime = Lifetime { ended: stop.child_token(), ..Lifetime::default() };
        lifetime.ready.cancel();
        let connection = Connection::in_session(session, Arc::clone(&self.settings), lifetime);
        ConnectedService::new(self.settings.greeting.info(), Arc::new(SetOnce::new_with(Some(Ok(connection)))))
    }

    /// Serves one client over a pair of streams until it disconnects.
    ///
    /// # Errors
    /// [`ServeError`] when the handshake fails. A client that disconnects, even before the handshake,
    /// is not an error.
    pub async fn serve<R, W>(&self, read: R, write: W) -> Result<(), ServeError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        self.serve_until(read, write, CancellationToken::new()).await
    }

    /// Like [`McpServer::serve`], until `stop` is cancelled.
    ///
    /// # Errors
    /// As [`McpServer::serve`].
    pub async fn serve_until<R, W>(&self, read: R, write: W, stop: CancellationToken) -> Result<(), ServeError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let lifetime = Lifetime { ended: stop, ..Lifetime::default() };
        lifetime.ready.cancel();
        let connection = Connection::new(Arc::clone(&self.settings), lifetime.clone());
        let made = Arc::new(SetOnce::new_with(Some(Ok(connection))));
        serve_connection(ConnectedService::new(self.settings.greeting.info(), made), read, write, lifetime).await
    }

    /// Like [`McpServer::serve_until`], but builds the server while the client is being greeted.
    ///
    /// # Errors
    /// As [`McpServer::serve_stdio_while_building`].
    pub async fn serve_while_building<B, E, R, W>(
        greeting: Greeting,
        build: B,
        read: R,
        write: W,
        stop: CancellationToken,
    ) -> Result<(), ServeError>
    where
        B: FnOnce() -> Result<Self, E> + Send + 'static,
        E: Into<Box<dyn Error + Send + Sync>>,
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        in_runtime(|| ())?;
        let lifetime = Lifetime { ended: stop, ..Lifetime::default() };
        let made = PendingConnection::default();
        let (door, waiting) = (ConnectedService::new(greeting.info(), Arc::clone(&made)), lifetime.clone());
        let building = tokio::task::spawn_blocking(move || {
            // Also if `build` panics: nobody must wait for a connection that will never exist.
            let failed = waiting.ended.clone().drop_guard();
            let server: Result<Self, Box<dyn Error + Send + Sync>> = build().map_err(Into::into);
            let connection = match &server {
                Ok(made) => Ok(Connection::new(Arc::clone(&made.settings), waiting.clone())),
                Err(error) => Err(error.to_string()),
            };
            // It is set only here.
            let _ = made.set(connection);
            waiting.ready.cancel();
            if server.is_ok() {
                failed.disarm();
            }
            server.map(drop)
        });
        let served = serve_connection(door, read, write, lifetime).await;
        match building.await {
            Ok(Ok(())) => served,
            Ok(Err(error)) => Err(ServeError::Setup(error)),
            Err(panic) => Err(ServeError::Broken(panic.to_string())),
        }
    }
}

async fn serve_connection<R, W>(door: ConnectedService, read: R, write: W, lifetime: Lifetime) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    in_runtime(|| ())?;
    let transport = LineTransport::new(read, write, lifetime.clone());
    let running = match serve_server_with_ct(door, transport, lifetime.ended.clone()).await {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => return Ok(()),
        Err(error) => return Err(ServeError::Handshake(error.to_string())),
    };
    let overdue = async {
        lifetime.ended.cancelled().await;
        tokio::time::sleep(PATIENCE).await;
    };
    // Other tasks may still hold the connection, but its client no longer waits.
    let ended = tokio::select! {
        ended = running.waiting() => ended.map(drop),
        () = overdue => Ok(()),
    };
    lifetime.shut_down().await;
    ended.map_err(|error| ServeError::Broken(error.to_string()))
}

/// Cancels `stop` at a signal and waits for `serving` to end.
async fn until_a_signal(
    mut serving: Pin<Box<impl Future<Output = Result<(), ServeError>>>>,
    stop: CancellationToken,
) -> Result<(), ServeError> {
    let mut interrupt = in_runtime(|| signal(SignalKind::interrupt()))??;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let mut any_signal = async || {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    };
    tokio::select! {
        result = &mut serving => return result,
        () = any_signal() => {}
    }
    stop.cancel();
    // A second signal means that the user does not want to wait for the record either.
    tokio::select! {
        result = serving => result,
        () = any_signal() => Ok(()),
    }
}

tools_core::partial_debug!(McpServer { roots: settings.roots });
