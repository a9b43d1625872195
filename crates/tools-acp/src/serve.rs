//! Serves a connection from its first line until its last process has ended.

use std::{sync::Arc, time::Duration};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::AcpHost;
use crate::connection::Connection;
use crate::rpc::{Lines, MAX_MESSAGE_BYTES, Peer, write_all};

/// Time for answering requests after the client closed its end. A client that pipes requests and
/// closes still gets answers, and one that is gone does not keep work alive.
const LINGER: Duration = Duration::from_millis(200);
/// Interval of checking for unanswered requests.
const LOOK: Duration = Duration::from_millis(10);
/// Time limit for cancelled work to end.
const WINDING_UP: Duration = Duration::from_secs(5);
/// Time limit for the client to read the last messages.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Name and version of the agent.
#[derive(Debug, Clone)]
pub struct InitializeRequest {
    /// The name of the program.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// Serves the client on standard input and output: see [`serve`].
pub async fn serve_stdio(host: Arc<dyn AcpHost>, greeting: InitializeRequest, stop: CancellationToken) {
    serve(host, greeting, tokio::io::stdin(), tokio::io::stdout(), stop).await;
}

/// Serves one client until it disconnects, or until `stop` is cancelled. On return every session
/// has ended, or had five seconds to.
pub async fn serve<R, W>(
    host: Arc<dyn AcpHost>,
    greeting: InitializeRequest,
    input: R,
    output: W,
    stop: CancellationToken,
) where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let closed = CancellationToken::new();
    let (peer, queue) = Peer::new(closed.clone());
    let connection = Connection::new(host, greeting, peer.clone());
    let writing = tokio::spawn({
        let (peer, closed) = (peer.clone(), closed.clone());
        async move {
            if let Err(error) = write_all(&peer, queue, output).await {
                tracing::debug!(%error, "the client reads no more");
            }
            closed.cancel();
        }
    });
    let has_left = tokio::select! {
        biased;
        () = stop.cancelled() => false,
        () = closed.cancelled() => false,
        () = read(&connection, input) => true,
    };
    if has_left {
        let answered = async {
            while connection.is_busy() && !closed.is_cancelled() {
                sleep(LOOK).await;
            }
        };
        let _ = timeout(LINGER, answered).await;
    }
    let ending = connection.end();
    let unread = async {
        // A task that waits for space in the queue of a client that does not read would wait for
        // ever.
        sleep(LAST_WORDS).await;
        closed.cancel();
        std::future::pending::<()>().await;
    };
    let ended = async {
        tokio::select! {
            biased;
            () = ending => {}
            () = unread => {}
        }
    };
    if timeout(WINDING_UP, ended).await.is_err() {
        tracing::warn!("a session did not end in time");
    }
    if !closed.is_cancelled() {
        let _ = timeout(LAST_WORDS, peer.drained()).await;
    }
    writing.abort();
}

/// Handles input of the client until its end.
async fn read<R: AsyncRead + Unpin>(connection: &Connection, input: R) {
    let mut lines = Lines::new(input, MAX_MESSAGE_BYTES);
    loop {
        match lines.next().await {
            Ok(Some(line)) => connection.line(line),
            Ok(None) => return,
            Err(error) => {
                tracing::debug!(%error, "the client cannot be read");
                return;
            }
        }
    }
}
