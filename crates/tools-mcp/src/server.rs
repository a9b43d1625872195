//! The server: one connection after the other or side by side, over any pair of streams.

use std::{fmt, sync::Arc};

use rmcp::service::{ServerInitializeError, serve_server_with_ct};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    signal::unix::{SignalKind, signal},
};
use tokio_util::sync::CancellationToken;
use tools_core::Stack;

use crate::{
    Builder, McpError, builder::Settings, connection::Connection, lifetime::Lifetime, stdio, transport::LineTransport,
};

/// An MCP server over a stack of tools. Clones share everything but connections.
#[derive(Clone)]
pub struct McpServer {
    settings: Arc<Settings>,
}

impl McpServer {
    /// Starts to build a server that sends every call through `stack`.
    pub fn builder(stack: Arc<Stack>) -> Builder {
        Builder::new(stack)
    }

    pub(crate) fn new(settings: Arc<Settings>) -> Self {
        Self { settings }
    }

    /// Serves the client at this process's standard streams until it leaves or the process is asked to end (`SIGINT`,
    /// `SIGTERM`, `SIGHUP`). Calls that still run are cancelled and put on record first.
    ///
    /// Nothing but messages is written to standard output. After it returned, end the process without waiting for a
    /// blocking thread: where standard input is neither a pipe nor a socket, one may still be reading it.
    ///
    /// # Errors
    /// [`McpError`] when the handshake fails or the machine refuses signals.
    pub async fn serve_stdio(self) -> Result<(), McpError> {
        let stop = CancellationToken::new();
        let mut signals = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()]
            .into_iter()
            .map(signal)
            .collect::<Result<Vec<_>, _>>()?;
        let (read, write) = stdio::streams();
        let serving = self.serve_until(read, write, stop.clone());
        let asked_to_end = async {
            let [interrupt, terminate, hangup] = signals.as_mut_slice() else {
                return std::future::pending().await;
            };
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                _ = hangup.recv() => {}
            }
        };
        tokio::pin!(serving);
        tokio::select! {
            result = &mut serving => result,
            () = asked_to_end => {
                stop.cancel();
                serving.await
            }
        }
    }

    /// Serves one client over a pair of streams until it leaves.
    ///
    /// # Errors
    /// [`McpError`] when the handshake fails. A client that leaves, even before the handshake, is no error.
    pub async fn serve<R, W>(&self, read: R, write: W) -> Result<(), McpError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        self.serve_until(read, write, CancellationToken::new()).await
    }

    /// The same, until `stop` is cancelled.
    ///
    /// # Errors
    /// As [`McpServer::serve`].
    pub async fn serve_until<R, W>(&self, read: R, write: W, stop: CancellationToken) -> Result<(), McpError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let lifetime = Lifetime { ended: stop, ..Lifetime::default() };
        let connection = Connection::new(Arc::clone(&self.settings), lifetime.clone());
        let transport = LineTransport::new(read, write, lifetime.clone());
        let running = match serve_server_with_ct(connection, transport, lifetime.ended.clone()).await {
            Ok(running) => running,
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => return Ok(()),
            Err(error) => return Err(McpError::Handshake(error.to_string())),
        };
        let ended = running.waiting().await;
        lifetime.wind_up().await;
        ended.map(drop).map_err(|error| McpError::Broken(error.to_string()))
    }
}

impl fmt::Debug for McpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpServer").field("roots", &self.settings.roots).finish_non_exhaustive()
    }
}
