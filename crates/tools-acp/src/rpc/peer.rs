//! Sends messages to the client in order, and keeps our requests that wait for an answer.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tools_core::Locked as _;

use super::{RequestId, RpcError};

/// Number of queued bytes above which senders of events wait for the client.
const ROOM: usize = 1024 * 1024;
/// Maximum number of queued bytes. Answers are never held back, so that requests are read as long
/// as the client behaves.
const MAX_WAITING_BYTES: usize = 64 * 1024 * 1024;

/// The client as a receiver of messages. Clones share it.
#[derive(Clone)]
pub(crate) struct Peer(Arc<Inner>);

struct Inner {
    queue: mpsc::UnboundedSender<Vec<u8>>,
    /// Number of bytes in the queue.
    waiting: AtomicUsize,
    /// Notified after each write.
    written: Notify,
    /// Cancelled when the client no longer reads, or nothing more should be sent.
    closed: CancellationToken,
    open: Mutex<HashMap<i64, oneshot::Sender<Result<Value, RpcError>>>>,
    next: AtomicI64,
}

/// Why our request has no result.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AskError {
    /// The client refused it.
    Refused(RpcError),
    /// The client did not answer in time.
    Late,
    /// The client is gone.
    Gone,
}

impl Peer {
    /// Creates a client, and the queue of messages to write.
    pub(crate) fn new(closed: CancellationToken) -> (Self, mpsc::UnboundedReceiver<Vec<u8>>) {
        let (queue, receiver) = mpsc::unbounded_channel();
        let inner = Inner {
            queue,
            waiting: AtomicUsize::new(0),
            written: Notify::new(),
            closed,
            open: Mutex::default(),
            next: AtomicI64::new(1),
        };
        (Self(Arc::new(inner)), receiver)
    }

    pub(crate) fn answer(&self, id: &RequestId, result: Result<Value, RpcError>) {
        self.put(&match result {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
        });
    }

    /// Sends a notification once there is space.
    pub(crate) async fn notify(&self, method: &str, params: impl Serialize) {
        self.room().await;
        self.put(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and waits for its answer up to `patience`. A later answer is ignored.
    pub(crate) async fn ask(
        &self,
        method: &str,
        params: impl Serialize,
        patience: Duration,
    ) -> Result<Value, AskError> {
        self.room().await;
        let id = self.0.next.fetch_add(1, Ordering::Relaxed);
        let (to, answer) = oneshot::channel();
        self.0.open.locked().insert(id, to);
        let open = Open { peer: self, id };
        self.put(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let answered = tokio::select! {
            biased;
            answered = answer => Some(answered),
            () = self.0.closed.cancelled() => return Err(AskError::Gone),
            () = tokio::time::sleep(patience) => None,
        };
        drop(open);
        match answered {
            Some(Ok(Ok(result))) => Ok(result),
            Some(Ok(Err(error))) => Err(AskError::Refused(error)),
            Some(Err(_)) => Err(AskError::Gone),
            None => Err(AskError::Late),
        }
    }

    /// Handles the answer to our request; `false` if none waits for it.
    pub(crate) fn answered(&self, id: &RequestId, result: Result<Value, RpcError>) -> bool {
        let RequestId::Number(id) = id else { return false };
        let waiting = self.0.open.locked().remove(id);
        waiting.is_some_and(|waiting| waiting.send(result).is_ok())
    }

    /// Waits until there is space, or the client no longer reads.
    async fn room(&self) {
        while self.0.waiting.load(Ordering::Acquire) > ROOM {
            let written = self.0.written.notified();
            if self.0.waiting.load(Ordering::Acquire) <= ROOM {
                return;
            }
            tokio::select! {
                () = written => {}
                () = self.0.closed.cancelled() => return,
            }
        }
    }

    /// Waits until all queued messages are written.
    pub(crate) async fn drained(&self) {
        while self.0.waiting.load(Ordering::Acquire) > 0 {
            let written = self.0.written.notified();
            if self.0.waiting.load(Ordering::Acquire) == 0 {
                return;
            }
            written.await;
        }
    }

    fn put(&self, message: &Value) {
        let mut line = message.to_string().into_bytes();
        line.push(b'\n');
        let waiting = self.0.waiting.fetch_add(line.len(), Ordering::AcqRel) + line.len();
        if waiting > MAX_WAITING_BYTES {
            tracing::warn!("the client does not read; the connection ends");
            self.0.closed.cancel();
            return;
        }
        // An error means that the writer has ended.
        let _ = self.0.queue.send(line);
    }

    fn wrote(&self, bytes: usize) {
        self.0.waiting.fetch_sub(bytes, Ordering::AcqRel);
        self.0.written.notify_waiters();
    }

    fn is_asking(&self, id: i64) -> bool {
        self.0.open.locked().remove(&id).is_some()
    }
}

/// An open request of ours. Dropping it without an answer withdraws it.
struct Open<'a> {
    peer: &'a Peer,
    id: i64,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        if self.peer.is_asking(self.id) && !self.peer.0.closed.is_cancelled() {
            let params = json!({"requestId": self.id});
            self.peer.put(&json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": params}));
        }
    }
}

/// Writes queued messages until there are no more senders, or the client no longer reads.
///
/// # Errors
/// The error of writing: the client is gone.
pub(crate) async fn write_all<W: AsyncWrite + Unpin>(
    peer: &Peer,
    mut queue: mpsc::UnboundedReceiver<Vec<u8>>,
    mut output: W,
) -> io::Result<()> {
    while let Some(line) = queue.recv().await {
        output.write_all(&line).await?;
        if queue.is_empty() {
            output.flush().await?;
        }
        peer.wrote(line.len());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(queue: &mut mpsc::UnboundedReceiver<Vec<u8>>) -> Value {
        serde_json::from_slice(&queue.try_recv().expect("something was sent")).expect("it is JSON")
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_answer_is_nobodys_and_the_question_is_withdrawn() {
        let (peer, mut queue) = Peer::new(CancellationToken::new());
        let asked = peer.ask("x", json!({}), Duration::from_secs(5)).await;
        assert_eq!(asked, Err(AskError::Late));
        let id = next(&mut queue)["id"].as_i64().expect("a number");
        let withdrawn = next(&mut queue);
        assert_eq!((&withdrawn["method"], &withdrawn["params"]["requestId"]), (&json!("$/cancel_request"), &json!(id)));
        assert!(!peer.answered(&RequestId::Number(id), Ok(Value::Null)));
    }

    #[tokio::test]
    async fn an_answer_goes_to_its_own_question_once() {
        let (peer, mut queue) = Peer::new(CancellationToken::new());
        let asking = {
            let peer = peer.clone();
            tokio::spawn(async move { peer.ask("x", json!({}), Duration::from_secs(5)).await })
        };
        let id = loop {
            tokio::task::yield_now().await;
            if let Ok(line) = queue.try_recv() {
                break serde_json::from_slice::<Value>(&line).expect("it is JSON")["id"].as_i64().expect("a number");
            }
        };
        assert!(!peer.answered(&RequestId::Number(id + 1), Ok(json!(0))));
        assert!(!peer.answered(&RequestId::Text(id.to_string()), Ok(json!(0))));
        assert!(peer.answered(&RequestId::Number(id), Ok(json!(7))));
        assert!(!peer.answered(&RequestId::Number(id), Ok(json!(8))));
        assert_eq!(asking.await.expect("it ends"), Ok(json!(7)));
    }

    #[tokio::test]
    async fn what_is_told_waits_for_a_slow_client_and_ends_with_one_that_is_gone() {
        let closed = CancellationToken::new();
        let (peer, mut queue) = Peer::new(closed.clone());
        let text = "x".repeat(ROOM);
        peer.notify("a", &text).await;
        let mut second = Box::pin(peer.notify("b", &text));
        assert!(tokio::time::timeout(Duration::from_millis(1), &mut second).await.is_err());
        let line = queue.recv().await.expect("the first");
        peer.wrote(line.len());
        second.await;
        let mut third = Box::pin(peer.notify("c", &text));
        assert!(tokio::time::timeout(Duration::from_millis(1), &mut third).await.is_err());
        closed.cancel();
        third.await;
    }
}
