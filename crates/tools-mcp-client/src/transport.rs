//! Reads messages of a server as lines, with limits on untrusted input. Lines that are not messages
//! are counted and skipped. A violation that cannot be skipped ends the connection; its reason is
//! kept for the error of the call.

use std::io;
use std::sync::{Arc, Mutex};

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::Mutex as AsyncMutex;
use tools_core::{BoundedLine, BoundedLines, Locked as _};

use crate::log_text::LogText;

/// Maximum size of a message in bytes.
pub(crate) const MAX_MESSAGE_BYTES: usize = 16 << 20;
/// Maximum number of skipped lines; beyond it the connection ends.
const MAX_NOISE: usize = 10_000;

/// State of a connection besides its messages. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notes {
    shared: Arc<Mutex<ServerNotes>>,
    log: LogText,
}

#[derive(Debug, Default)]
struct ServerNotes {
    /// Why the connection was ended from this side.
    fault: Option<String>,
    /// Number of lines or events that were not messages.
    noise: usize,
    /// Last failure over HTTP.
    #[cfg(feature = "http")]
    http: Option<crate::http::HttpFault>,
    /// Client features that the server requested.
    asked: Vec<&'static str>,
}

impl Notes {
    /// Empty notes. `log` redacts text for the log.
    pub(crate) fn logging(log: LogText) -> Self {
        Self { log, ..Self::default() }
    }

    pub(crate) fn fault(&self) -> Option<String> {
        self.lock().fault.clone()
    }

    pub(crate) fn noise(&self) -> usize {
        self.lock().noise
    }

    /// Ends the connection from this side; the first reason is kept.
    pub(crate) fn end(&self, fault: String) {
        self.lock().fault.get_or_insert(fault);
    }

    /// Counts input that is not a message.
    ///
    /// # Errors
    /// If there is too much of it: then the connection ends.
    pub(crate) fn noise_of(&self, text: &[u8]) -> Result<(), ()> {
        let mut noted = self.lock();
        noted.noise += 1;
        if noted.noise == 1 {
            tracing::warn!(text = self.log.beginning(text), "an MCP server writes what is not a message");
        }
        if noted.noise <= MAX_NOISE {
            return Ok(());
        }
        noted.fault.get_or_insert_with(|| format!("it wrote more than {MAX_NOISE} lines that are not messages"));
        Err(())
    }

    /// Stores a failure over HTTP.
    #[cfg(feature = "http")]
    pub(crate) fn failed(&self, fault: crate::http::HttpFault) {
        if fault.ends_connection() {
            self.end(fault.to_string());
        }
        self.lock().http = Some(fault);
    }

    /// Last failure over HTTP.
    #[cfg(feature = "http")]
    pub(crate) fn http(&self) -> Option<crate::http::HttpFault> {
        self.lock().http.clone()
    }

    /// Notes that the server requested a feature it was not offered.
    pub(crate) fn asked(&self, what: &'static str) {
        let mut noted = self.lock();
        if !noted.asked.contains(&what) {
            noted.asked.push(what);
        }
    }

    /// Features that the server requested without an offer.
    pub(crate) fn all_asked(&self) -> Vec<&'static str> {
        self.lock().asked.clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, ServerNotes> {
        self.shared.locked()
    }
}

/// Transport that reads lines from `R` and writes lines to `W`.
pub(crate) struct Lines<R, W> {
    read: R,
    write: Arc<AsyncMutex<Option<W>>>,
    received: BoundedLines,
    notes: Notes,
}

impl<R, W> Lines<R, W> {
    pub(crate) fn new(read: R, write: W, notes: Notes) -> Self {
        let received = BoundedLines::new(MAX_MESSAGE_BYTES);
        Self { read, write: Arc::new(AsyncMutex::new(Some(write))), received, notes }
    }
}

/// Classification of a line.
enum LineKind {
    Message(Box<ServerJsonRpcMessage>),
    Noise,
}

fn read(line: &[u8]) -> LineKind {
    if let Ok(message) = serde_json::from_slice(line) {
        return LineKind::Message(Box::new(message));
    }
    // An answer that cannot be parsed still gets delivered as an error to whoever waits for it.
    let Ok(Value::Object(object)) = serde_json::from_slice::<Value>(line) else { return LineKind::Noise };
    let id = object.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
    match id {
        Some(id) if !object.contains_key("method") => {
            let error = ErrorData::internal_error("the server's answer has not the form of one", None);
            LineKind::Message(Box::new(ServerJsonRpcMessage::error(error, Some(id))))
        }
        _ => LineKind::Noise,
    }
}

impl<R, W> Transport<RoleClient> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, item: ClientJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let write = Arc::clone(&self.write);
        async move {
            let mut line = serde_json::to_vec(&item)?;
            line.push(b'\n');
            // Written by a separate task: a partial line would corrupt all that follow.
            let writing = tokio::spawn(async move {
                let mut write = write.lock().await;
                let Some(write) = write.as_mut() else { return Err(io::ErrorKind::NotConnected.into()) };
                write.write_all(&line).await?;
                write.flush().await
            });
            writing.await.map_err(io::Error::other)?
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let line = match self.received.next() {
                BoundedLine::Whole(range) => self.received.bytes(range),
                BoundedLine::TooLong(_) => {
                    self.notes.end(format!("it sent a message of more than {} MiB", MAX_MESSAGE_BYTES >> 20));
                    return None;
                }
                BoundedLine::Partial => match self.read.read_buf(self.received.room()).await {
                    Ok(1..) => continue,
                    Ok(0) | Err(_) => return None,
                },
            };
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match read(line) {
                LineKind::Message(message) => return Some(*message),
                LineKind::Noise => {
                    if self.notes.noise_of(line).is_err() {
                        return None;
                    }
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        // A blocked writer must not keep the connection open: dropping it closes its end.
        if let Ok(mut write) = self.write.try_lock() {
            write.take();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> (Lines<&[u8], tokio::io::Sink>, Notes) {
        let notes = Notes::default();
        (Lines::new(text, tokio::io::sink(), notes.clone()), notes)
    }

    #[tokio::test]
    async fn noise_is_passed_over_and_a_bad_answer_is_an_answer() {
        let text = b"starting up\n\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n{\"id\":7,\"result\":4,\"x\":[}\n[1]\n{\"jsonrpc\":\"3\",\"id\":2,\"result\":{}}\n";
        let (mut lines, notes) = lines(text);
        assert!(matches!(lines.receive().await, Some(ServerJsonRpcMessage::Response(_))));
        let Some(ServerJsonRpcMessage::Error(error)) = lines.receive().await else { panic!("an error was expected") };
        assert_eq!(error.id, Some(RequestId::Number(2)));
        assert!(lines.receive().await.is_none());
        assert_eq!((notes.noise(), notes.fault()), (3, None));
    }

    #[tokio::test]
    async fn what_is_too_long_or_too_noisy_ends_the_connection() {
        let long = vec![b'x'; MAX_MESSAGE_BYTES + (1 << 20)];
        let noisy = b"x\n".repeat(MAX_NOISE + 1);
        for text in [long, noisy] {
            let (mut lines, notes) = lines(&text);
            assert!(lines.receive().await.is_none());
            assert!(notes.fault().is_some());
            assert!(lines.received.held() < MAX_MESSAGE_BYTES * 2);
        }
    }
}
