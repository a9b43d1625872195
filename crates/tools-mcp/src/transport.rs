//! JSON-RPC messages as lines, from a peer that may send anything: bounded, never dying of what it
//! reads.
//!
//! rmcp's own line transport bounds lines too, but it leaves a malformed request without an answer
//! that its sender could match, and its handshake ends the process at a stray notification. What is
//! said about a bad line is said here.

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

use tools_core::{BoundedLine, BoundedLines, take_thoughts_out};

use crate::lifetime::Lifetime;
use backlog::Backlog;

mod backlog;
mod call;
mod envelope;

/// The longest line that is read; a longer one is skipped and answered with an error.
const MAX_LINE_LEN: usize = 16 << 20;
/// Bytes that are read while nothing is taken, so that the end of the connection is noticed.
const MAX_READ_AHEAD: usize = 1 << 20;
/// Bytes that are read slowly beyond those: what a client that left has still in the pipe.
const MAX_SLOW_READ_BYTES: usize = 8 << 20;
/// Time between two slow reads.
const SLOW_READ: Duration = Duration::from_millis(50);
/// How long the last answers may take to be written once nobody waits for them any more.
const LAST_ANSWERS: Duration = Duration::from_millis(500);
/// A buffer larger than this is given back once the answer that needed it is written.
const KEPT_BUFFER: usize = 256 << 10;

/// Lines from `R` and to `W`.
pub(crate) struct LineTransport<R, W> {
    read: R,
    lines: BoundedLines,
    write: Arc<Mutex<Writer<W>>>,
    /// Answers of the transport's own that are being written: whoever does not take them is still
    /// seen to leave.
    replies: TaskTracker,
    /// Whether the handshake is over: rmcp accepts nothing but requests before.
    opened: bool,
    /// Whether everything was read that the client will ever send.
    at_end: bool,
    backlog: Arc<Backlog>,
    lifetime: Lifetime,
}

/// The writing end and what it still has to write: a write that is dropped half-way is finished by
/// the next.
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
        // Nobody waits for it: what fails is told by `send`.
        self.replies.spawn(async { drop(sending.await) });
    }

    /// Reads what the client sent, or that it will send nothing more. May be dropped at every
    /// await.
    async fn read_more(&mut self) {
        match self.read.read_buf(self.lines.room()).await {
            Ok(1..) => return,
            Ok(0) => {}
            Err(error) => tracing::debug!(%error, "the client cannot be read"),
        }
        self.at_end = true;
        self.lifetime.client_left();
    }

    /// Waits until the client has taken some of its answers. Meanwhile little is read, and beyond
    /// that slowly: enough to notice that it left.
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

    /// The message of a line; `None` for one that is answered or passed over.
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
            // Any answer with the id of a call would be taken for the call's, and end it for rmcp.
            if self.backlog.is_running(&request.id) {
                let text = "a request with this id has not been answered yet";
                self.refuse(Some(request.id.clone()), ErrorData::new(ErrorCode::INVALID_REQUEST, text, None));
                return None;
            }
            if let ClientRequest::CallToolRequest(call) = &mut request.request {
                if let Some(arguments) = &mut call.params.arguments {
                    // Before anything else sees the message, logs included.
                    take_thoughts_out(arguments);
                }
                // Both travel with the request and are dropped with it: whoever ends the connection
                // waits for it, and its id is free again.
                call.extensions.insert(self.lifetime.calls.token());
                call.extensions.insert(self.backlog.begin(&request.id));
            }
        }
        Some(message)
    }
}

/// Whether rmcp's handshake ends with this message: `initialize`, or a request of a version without
/// one.
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
                    // Nobody reads answers any more: what runs, runs for nobody. That is no fault
                    // worth a line on stderr.
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
                // A message ends with its line: what stands behind the last one was cut off.
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
