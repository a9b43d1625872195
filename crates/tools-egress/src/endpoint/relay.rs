//! Bytes both ways between a client and its server, counted, until both sides have ended.

use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::sleep;

use super::gate::ByteBudget;
use crate::request::Body;

/// What is taken at once.
const CHUNK: usize = 256 * 1024;
/// How long a side may be silent after the other has ended.
const PATIENCE: Duration = Duration::from_mins(5);

/// What of the client's bytes goes to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Upload {
    /// All.
    Everything,
    /// The body of one request, as far as it is still to come.
    Body(Body),
}

/// The bytes that passed.
#[derive(Debug, Default)]
pub(super) struct ByteCounts {
    pub(super) sent: AtomicU64,
    pub(super) received: AtomicU64,
}

/// Why bytes stopped passing.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// A side is gone.
    Gone,
    /// The budget of the host is used up.
    Budget,
}

impl From<io::Error> for Broken {
    fn from(_: io::Error) -> Self {
        Self::Gone
    }
}

/// Passes bytes until both sides have ended. `begun` came from the client already.
pub(super) async fn relay(
    client: &mut TcpStream,
    server: &mut TcpStream,
    (begun, upload): (&[u8], Upload),
    spent: &ByteBudget,
    passed: &ByteCounts,
) -> Result<(), Broken> {
    let ((from_client, to_client), (from_server, mut to_server)) = (client.split(), server.split());
    let mut up = pin!(async move {
        send(&mut to_server, begun, spent, passed).await?;
        let most = match upload {
            Upload::Body(Body::Length(length)) => length,
            Upload::Body(Body::Chunked) | Upload::Everything => u64::MAX,
        };
        upload_rest(from_client.take(most), &mut to_server, spent, passed).await?;
        // A server that was sent one request may take the end of the stream for the client's.
        if upload == Upload::Everything {
            to_server.shutdown().await?;
        }
        Ok(())
    });
    let mut down = pin!(download(from_server, to_client, passed));
    tokio::select! {
        ended = &mut up => {
            ended?;
            or_silence(down, &passed.received).await
        }
        ended = &mut down => {
            ended?;
            or_silence(up, &passed.sent).await
        }
    }
}

async fn send(
    to: &mut (impl AsyncWrite + Unpin),
    bytes: &[u8],
    spent: &ByteBudget,
    passed: &ByteCounts,
) -> Result<(), Broken> {
    if !spent.take(bytes.len() as u64) {
        return Err(Broken::Budget);
    }
    to.write_all(bytes).await?;
    passed.sent.fetch_add(bytes.len() as u64, Ordering::Relaxed);
    Ok(())
}

async fn upload_rest(
    mut from: impl AsyncRead + Unpin,
    to: &mut (impl AsyncWrite + Unpin),
    spent: &ByteBudget,
    passed: &ByteCounts,
) -> Result<(), Broken> {
    let mut buffer = Buffer::new();
    loop {
        match from.read(buffer.room()).await? {
            0 => return Ok(()),
            count => send(to, buffer.taken(count), spent, passed).await?,
        }
    }
}

async fn download(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    passed: &ByteCounts,
) -> Result<(), Broken> {
    let mut buffer = Buffer::new();
    loop {
        let count = from.read(buffer.room()).await?;
        if count == 0 {
            to.shutdown().await?;
            return Ok(());
        }
        to.write_all(buffer.taken(count)).await?;
        passed.received.fetch_add(count as u64, Ordering::Relaxed);
    }
}

/// Room for what is under way: little for a connection of few bytes, more once it was filled.
struct Buffer(Vec<u8>);

impl Buffer {
    const MIN_BUFFER_BYTES: usize = 8 * 1024;

    fn new() -> Self {
        Self(vec![0; Self::MIN_BUFFER_BYTES])
    }

    fn room(&mut self) -> &mut [u8] {
        &mut self.0
    }

    /// What was read into it. It grows when it was full.
    fn taken(&mut self, count: usize) -> &[u8] {
        if count == self.0.len() && count < CHUNK {
            self.0.resize(CHUNK.min(count * 4), 0);
        }
        &self.0[..count]
    }
}

/// Waits for the side that is left, as long as it has something to say.
async fn or_silence(
    mut side: impl Future<Output = Result<(), Broken>> + Unpin,
    count: &AtomicU64,
) -> Result<(), Broken> {
    loop {
        let before = count.load(Ordering::Relaxed);
        tokio::select! {
            ended = &mut side => return ended,
            () = sleep(PATIENCE) => {
                if count.load(Ordering::Relaxed) == before {
                    return Err(Broken::Gone);
                }
            }
        }
    }
}
