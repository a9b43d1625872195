//! Lines of bounded length over a socket.

use std::io;

use serde::{Serialize, de::DeserializeOwned};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};

/// The longest line: a question about a long command with many parts.
const MAX_LINE_BYTES: u64 = 4 * 1024 * 1024;

/// Writes a message as one line.
///
/// # Errors
/// When the other end is gone, or the message is too long.
pub(crate) async fn send(to: &mut (impl AsyncWrite + Unpin), message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    if line.len() as u64 > MAX_LINE_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    to.write_all(&line).await
}

/// The next message; `None` at the end of the connection. Not to be dropped half-way.
///
/// # Errors
/// When the line is no such message or too long.
pub(crate) async fn receive<M: DeserializeOwned>(from: &mut (impl AsyncBufReadExt + Unpin)) -> io::Result<Option<M>> {
    let mut line = Vec::new();
    let read = from.take(MAX_LINE_BYTES).read_until(b'\n', &mut line).await?;
    if read == 0 || line.last() != Some(&b'\n') {
        return Ok(None);
    }
    Ok(Some(serde_json::from_slice(&line)?))
}

/// Both directions of a connection.
pub(crate) fn halves(
    stream: tokio::net::UnixStream,
) -> (BufReader<tokio::net::unix::OwnedReadHalf>, tokio::net::unix::OwnedWriteHalf) {
    let (read, write) = stream.into_split();
    (BufReader::new(read), write)
}
