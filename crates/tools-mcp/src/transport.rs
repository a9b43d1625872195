//! Line-based JSON-RPC for an untrusted peer: bounded, and never ended by invalid input.
//!
//! rmcp's own line transport bounds lines too, but answers a malformed request without its id, and
//! ends the process if a notification comes before the handshake. This transport answers bad lines
//! itself.

use std::{io, sync::Arc, time::Duration};

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, GetMeta, JsonRpcMessage, ProtocolVersion, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};
use tokio_util::task::TaskTracker;

use tools_core::{BoundedLine, BoundedLines, remove_thoughts};

use crate::lifetime::Lifetime;
use backlog::Backlog;

mod backlog;
mod call;
mod envelope;

/// Maximum length of a line in bytes; a longer one is skipped and answered with an error.
const MAX_LINE_LEN: usize = 16 << 20;
/// Maximum number of bytes read ahead while no message is taken, to detect the end of the
/// connection.
const MAX_READ_AHEAD: usize = 1 << 20;
/// Maximum number of bytes read slowly beyond those: what a client that left still has in the pipe.
const MAX_SLOW_READ_BYTES: usize = 8 << 20;
/// Time between two slow reads.
const SLOW_READ: Duration = Duration::from_millis(50);
/// Time for writing the last answers once nobody waits for them any more.
const LAST_ANSWERS: Duration = Duration::from_millis(500);
/// Maximum capacity in bytes of a buffer that is kept after an answer was written.
const KEPT_BUFFER: usize = 256 << 10;

/// Transport that reads lines from `R` and writes lines to `W`.
pub(crate) struct LineTransport<R, W> {
    read: R,
    lines: BoundedLines,
    write: Arc<Mutex<Writer<W>>>,
    /// Tasks that write answers of the transport itself, so that the end of the input is noticed
    /// although the client does not read them.
    replies: TaskTracker,
    /// Whether the handshake is over: before, rmcp accepts only requests.
    opened: bool,
    /// Whether the client's input has ended.
    at_end: bool,
    backlog: Arc<Backlog>,
    lifetime: Lifetime,
}

/// The writing end and its unwritten bytes: the next write completes one that was dropped half-way.
struct Writer<W> {
    write: W,
    waiting: Vec<u8>,
    written: usize,
    closed: bool,
}

impl<W: AsyncWrite + Unpin> Writer<W> {
    async fn flush(&mut self) -> io::Result<()> {
        if self.closed {
            return Err(io::ErrorKind::NotConnected.into());
        }
        while self.written < self.waiting.len() {
            let count = self.write.write(&self.waiting[self.written..]).await?;
            if count == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.written += count;
        }
        self.waiting.clear();
        self.waiting.shrink_to(KEPT_BUFFER);
        self.written = 0;
        self.write.flush().await
    }
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(read: R, write: W, lifetime: Lifetime) -> Self {
        let write = Writer { write, waiting: Vec::new(), written: 0, closed: false };
        Self {
            read,
            lines: BoundedLines::new(MAX_LINE_LEN),
            write: Arc::new(Mutex::new(write)),
            replies: TaskTracker::new(),
            opened: false,
            at_end: false,
            backlog: Arc::default(),
            lifetime,
        }
    }

    /// Answers a line by itself.
    fn refuse(&mut self, id: Option<RequestId>, error: ErrorData) {
        let sending = self.send(ServerJsonRpcMessage::error(error, id));
        // Nobody waits for the result: `send` reports failures.
        self.replies.spawn(async { drop(sending.await) });
    }

    /// Reads input of the client or its end. Cancel-safe.
    async fn read_more(&mut self) {
        match self.read.read_buf(self.lines.room()).await {
            Ok(1..) => return,
            Ok(0) => {}
            Err(error) => tracing::debug!(%error, "the client cannot be read"),
        }
        self.at_end = true;
        self.lifetime.client_left();
    }

    /// Waits until the client has read some of its answers. Meanwhile only a little is read, then
    /// slowly: enough to notice that the client left.
    async fn wait_for_room(&mut self) {
        let backlog = Arc::clone(&self.backlog);
        let ahead = self.lines.held();
        if self.at_end || ahead > MAX_READ_AHEAD + MAX_SLOW_READ_BYTES {
            return backlog.room().await;
        }
        let reading = async {
            if ahead > MAX_READ_AHEAD {
                sleep(SLOW_READ).await;
            }
            self.read_more().await;
        };
        tokio::select! {
            biased;
            () = backlog.room() => {}
            () = reading => {}
        }
    }

    /// Parses the message of a line; `None` if it was answered here or ignored.
    fn message(&mut self, line: &[u8]) -> Option<ClientJsonRpcMessage> {
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
        if line.is_empty() {
            return None;
        }
        let read = call::read(line).map_or_else(|| serde_json::from_slice::<ClientJsonRpcMessage>(line), Ok);
        let mut message = match read {
            Ok(message) => message,
            Err(error) => {
                tracing::debug!(%error, "a line is not a message");
                if let Some((id, error)) = envelope::complaint(line) {
                    self.refuse(id, error);
                }
                return None;
            }
        };
        if !self.opened {
            self.opened = opens(&message);
            if !self.opened && !matches!(message, JsonRpcMessage::Request(_)) {
                tracing::debug!("a message before the handshake is passed over");
                return None;
            }
        }
        if let JsonRpcMessage::Request(request) = &mut message {
            // rmcp would take any answer with the id of a call for the answer of that call.
            if self.backlog.is_running(&request.id) {
                let text = "a request with this id has not been answered yet";
                self.refuse(Some(request.id.clone()), ErrorData::new(ErrorCode::INVALID_REQUEST, text, None));
                return None;
            }
            if let ClientRequest::CallToolRequest(call) = &mut request.request {
                if let Some(arguments) = &mut call.params.arguments {
                    // Before anything else, including logs, sees the message.
                    remove_thoughts(arguments);
                }
                // Both are dropped with the request: the end of the connection waits for it, and
                // its id becomes free.
                call.extensions.insert(self.lifetime.calls.token());
                call.extensions.insert(self.backlog.begin(&request.id));
            }
        }
        Some(message)
    }
}

/// Whether this message ends rmcp's handshake: `initialize`, or a request of a version without a
/// handshake.
fn opens(message: &ClientJsonRpcMessage) -> bool {
    let JsonRpcMessage::Request(request) = message else {
        return false;
    };
    match &request.request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        other => {
            let meta = other.get_meta();
            let known = |version: ProtocolVersion| ProtocolVersion::KNOWN_VERSIONS.contains(&version);
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && meta.protocol_version().is_some_and(known)
        }
    }
}

fn line_of(message: &ServerJsonRpcMessage) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, item: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (line, write, ended) = (line_of(&item), Arc::clone(&self.write), self.lifetime.ended.clone());
        let waits = line.as_ref().ok().map(|line| self.backlog.waits(line.len()));
        async move {
            let line = line?;
            let writing = async {
                let mut write = write.lock().await;
                write.waiting.extend_from_slice(&line);
                write.flush().await
            };
            let overdue = async {
                ended.cancelled().await;
                sleep(LAST_ANSWERS).await;
            };
            tokio::select! {
                written = writing => if let Err(error) = written {
                    // Nobody reads answers any more, so running calls are useless. That is not a
                    // fault worth a line on stderr.
                    tracing::debug!(%error, "the client does not read");
                    ended.cancel();
                },
                () = overdue => tracing::debug!("the client did not take its last answers"),
            }
            drop(waits);
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if !self.backlog.has_room() {
                self.wait_for_room().await;
                continue;
            }
            match self.lines.next() {
                BoundedLine::Whole(range) => {
                    let lines = std::mem::take(&mut self.lines);
                    let message = self.message(lines.bytes(range));
                    self.lines = lines;
                    if message.is_some() {
                        return message;
                    }
                }
                BoundedLine::TooLong(range) => {
                    let id = envelope::id_of(self.lines.bytes(range));
                    let text = format!("a message must not be longer than {} MiB", MAX_LINE_LEN >> 20);
                    self.refuse(id, ErrorData::new(ErrorCode::INVALID_REQUEST, text, None));
                }
                // A message ends with its line, so an unfinished last line was cut off.
                BoundedLine::Partial if self.at_end => {
                    self.replies.close();
                    self.replies.wait().await;
                    return None;
                }
                BoundedLine::Partial => self.read_more().await,
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        let closing = async {
            let mut write = self.write.lock().await;
            let flushed = write.flush().await;
            write.closed = true;
            let closed = write.write.shutdown().await;
            flushed.and(closed)
        };
        match timeout(LAST_ANSWERS, closing).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%error, "the client was gone before the end"),
            Err(_) => tracing::debug!("the client did not take its last answers"),
        }
        Ok(())
    }
}
