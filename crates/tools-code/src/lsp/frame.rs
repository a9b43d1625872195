//! Messages on a stream, framed as in the Language Server Protocol: headers, an empty line, JSON.

use std::io;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// Maximum length of a message in bytes.
const MAX_MESSAGE_BYTES: usize = 32 * 1024 * 1024;
/// Maximum length of the headers in bytes.
const HEADERS: usize = 4096;

/// Bytes that were read but not yet returned. Reading can be cancelled at any await without losing
/// a byte.
#[derive(Debug, Default)]
pub(super) struct Frames(Vec<u8>);

impl Frames {
    /// The next message.
    ///
    /// # Errors
    /// `UnexpectedEof` at the end of the stream, `InvalidData` for an invalid message. Reading
    /// cannot continue after either.
    pub(super) async fn next(&mut self, stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Value> {
        loop {
            if let Some(message) = self.take()? {
                return Ok(message);
            }
            if stream.read_buf(&mut self.0).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    fn take(&mut self) -> io::Result<Option<Value>> {
        let invalid = || io::Error::from(io::ErrorKind::InvalidData);
        let Some(end) = self.0.windows(4).take(HEADERS).position(|end| end == b"\r\n\r\n") else {
            return if self.0.len() > HEADERS { Err(invalid()) } else { Ok(None) };
        };
        let headers = std::str::from_utf8(&self.0[..end]).map_err(|_| invalid())?;
        let length = headers.split("\r\n").find_map(|header| {
            let (name, value) = header.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
        });
        let length = length.filter(|length| *length <= MAX_MESSAGE_BYTES).ok_or_else(invalid)?;
        let from = end + 4;
        let Some(body) = self.0.get(from..from + length) else { return Ok(None) };
        let message = serde_json::from_slice(body).map_err(|_| invalid())?;
        self.0.drain(..from + length);
        Ok(Some(message))
    }
}

/// Sends one message.
///
/// # Errors
/// The stream cannot be written.
pub(super) async fn send(stream: &mut (impl AsyncWrite + Unpin), message: &Value) -> io::Result<()> {
    let body = message.to_string();
    stream.write_all(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).await?;
    stream.flush().await
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn messages_are_whole_however_they_come() {
        let mut sent = Vec::new();
        for message in [json!({"id": 1}), json!({"text": "grüße"})] {
            send(&mut sent, &message).await.unwrap();
        }
        for piece in [1, 3, 1000] {
            let (mut ours, mut theirs) = tokio::io::duplex(piece);
            let sent = sent.clone();
            let writing = tokio::spawn(async move { theirs.write_all(&sent).await });
            let mut frames = Frames::default();
            assert_eq!(frames.next(&mut ours).await.unwrap(), json!({"id": 1}));
            assert_eq!(frames.next(&mut ours).await.unwrap(), json!({"text": "grüße"}));
            assert_eq!(frames.next(&mut ours).await.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
            writing.await.unwrap().unwrap();
        }
    }

    #[tokio::test]
    async fn what_is_no_message_is_an_error() {
        let long = format!("X: {}\r\n", "x".repeat(2 * HEADERS));
        for wrong in [
            "Content-Length: x\r\n\r\n{}",
            "Content-Length: 99999999999\r\n\r\n",
            "Other: 1\r\n\r\n{}",
            "Content-Length: 2\r\n\r\n{]",
            &long,
        ] {
            let mut stream = wrong.as_bytes();
            let error = Frames::default().next(&mut stream).await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{wrong:.40}");
        }
    }
}
