//! Relays bytes both ways between a client and its server, and counts them, until both have ended.

use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy, sink};
use tokio::net::TcpStream;
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::time::sleep;

use super::gate::ByteBudget;
use super::kernel_pipe::KernelPipe;
use crate::request::{BadRequest, ChunkScanner};

/// Maximum number of bytes read at once.
const CHUNK: usize = 256 * 1024;
/// Number of bytes in one direction after which the kernel relays the rest.
const BULK: u64 = 512 * 1024;
/// Maximum silence of a side after the other has ended.
const PATIENCE: Duration = Duration::from_mins(5);
/// Maximum silence of a server after a client with a single request has closed. Most such clients
/// are gone, and their connections would block new ones.
const PATIENCE_WITH_ONE: Duration = Duration::from_secs(10);

/// Part of the client's bytes that goes to the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Upload {
    /// All.
    Everything,
    /// This many bytes: the rest of the body of one request.
    Length(u64),
    /// The rest of the chunks of one request.
    Chunks(ChunkScanner),
}

/// Numbers of relayed bytes.
#[derive(Debug, Default)]
pub(super) struct ByteCounts {
    pub(super) sent: AtomicU64,
    pub(super) received: AtomicU64,
}

/// Why relaying stopped.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RelayEnd {
    /// A side is gone.
    Gone,
    /// The budget of the host is exhausted.
    Budget,
    /// The body of the request is invalid.
    Body(BadRequest),
}

impl From<io::Error> for RelayEnd {
    fn from(_: io::Error) -> Self {
        Self::Gone
    }
}

/// Relays bytes until both sides have ended. `begun` was already received from the client.
pub(super) async fn relay(
    client: &mut TcpStream,
    server: &mut TcpStream,
    (begun, upload): (&[u8], Upload),
    spent: &ByteBudget,
    passed: &ByteCounts,
) -> Result<(), RelayEnd> {
    let ((mut from_client, mut to_client), (mut from_server, mut to_server)) = (client.split(), server.split());
    let patience = if upload == Upload::Everything { PATIENCE } else { PATIENCE_WITH_ONE };
    let mut up = pin!(async move {
        let direction = Direction { budget: spent, passed: &passed.sent };
        direction.send(&mut to_server, begun).await?;
        match upload {
            Upload::Everything => {
                direction.pass(&mut from_client, &mut to_server, u64::MAX).await?;
                to_server.shutdown().await?;
                return Ok(());
            }
            Upload::Length(length) => direction.pass(&mut from_client, &mut to_server, length).await?,
            Upload::Chunks(chunks) => direction.pass_chunks(&mut from_client, &mut to_server, chunks).await?,
        }
        // A server that got one request may take the end of the stream for the client's end. The
        // client waits for its answer until it closes, and further bytes from it are dropped.
        copy(&mut from_client, &mut sink()).await?;
        Ok(())
    });
    let mut down = pin!(async move {
        let direction = Direction { budget: &ByteBudget::unlimited(), passed: &passed.received };
        direction.pass(&mut from_server, &mut to_client, u64::MAX).await?;
        to_client.shutdown().await?;
        Ok(())
    });
    tokio::select! {
        ended = &mut up => {
            ended?;
            or_silence(down, &passed.received, patience).await
        }
        ended = &mut down => {
            ended?;
            or_silence(up, &passed.sent, patience).await
        }
    }
}

/// One direction, with its byte count.
struct Direction<'a> {
    budget: &'a ByteBudget,
    passed: &'a AtomicU64,
}

impl Direction<'_> {
    async fn send(&self, to: &mut WriteHalf<'_>, bytes: &[u8]) -> Result<(), RelayEnd> {
        self.take(bytes.len())?;
        to.write_all(bytes).await?;
        self.passed.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    fn take(&self, count: usize) -> Result<(), RelayEnd> {
        if self.budget.take(count as u64) { Ok(()) } else { Err(RelayEnd::Budget) }
    }

    /// Relays bytes until the end, or until `left` have passed.
    async fn pass(&self, from: &mut ReadHalf<'_>, to: &mut WriteHalf<'_>, mut left: u64) -> Result<(), RelayEnd> {
        let mut buffer = Buffer::new();
        let mut until_bulk = BULK;
        while left > 0 {
            if until_bulk == 0
                && let Some(pipe) = KernelPipe::open()
            {
                return self.splice(&pipe, from.as_ref(), to.as_ref(), left).await;
            }
            let count = from.read(buffer.room(left)).await?;
            if count == 0 {
                break;
            }
            self.send(to, buffer.taken(count)).await?;
            left -= count as u64;
            until_bulk = until_bulk.saturating_sub(count as u64);
        }
        Ok(())
    }

    /// Relays a body until its last chunk.
    async fn pass_chunks(
        &self,
        from: &mut ReadHalf<'_>,
        to: &mut WriteHalf<'_>,
        mut chunks: ChunkScanner,
    ) -> Result<(), RelayEnd> {
        let mut buffer = Buffer::new();
        while !chunks.is_at_end() {
            let count = from.read(buffer.room(u64::MAX)).await?;
            if count == 0 {
                break;
            }
            let bytes = buffer.taken(count);
            let of_body = chunks.take(bytes).map_err(RelayEnd::Body)?;
            self.send(to, &bytes[..of_body]).await?;
        }
        Ok(())
    }

    /// Relays the bulk of a connection through the kernel.
    async fn splice(&self, pipe: &KernelPipe, from: &TcpStream, to: &TcpStream, mut left: u64) -> Result<(), RelayEnd> {
        while left > 0 {
            let mut count = pipe.fill(from, left).await?;
            if count == 0 {
                break;
            }
            self.take(count)?;
            left -= count as u64;
            while count > 0 {
                let drained = pipe.drain(to, count).await?;
                if drained == 0 {
                    return Err(RelayEnd::Gone);
                }
                self.passed.fetch_add(drained as u64, Ordering::Relaxed);
                count -= drained;
            }
        }
        Ok(())
    }
}

/// A buffer: small for a connection with few bytes, larger once it was filled.
struct Buffer(Vec<u8>);

impl Buffer {
    const MIN_BUFFER_BYTES: usize = 8 * 1024;

    fn new() -> Self {
        Self(vec![0; Self::MIN_BUFFER_BYTES])
    }

    /// Space for at most `left` bytes.
    fn room(&mut self, left: u64) -> &mut [u8] {
        let most = usize::try_from(left).map_or(self.0.len(), |left| left.min(self.0.len()));
        &mut self.0[..most]
    }

    /// The bytes read into it. The buffer grows if it was full.
    fn taken(&mut self, count: usize) -> &[u8] {
        if count == self.0.len() && count < CHUNK {
            self.0.resize(CHUNK.min(count * 4), 0);
        }
        &self.0[..count]
    }
}

/// Waits for the remaining side, with a limit on its silence.
async fn or_silence(
    mut side: impl Future<Output = Result<(), RelayEnd>> + Unpin,
    count: &AtomicU64,
    patience: Duration,
) -> Result<(), RelayEnd> {
    loop {
        let before = count.load(Ordering::Relaxed);
        tokio::select! {
            ended = &mut side => return ended,
            () = sleep(patience) => {
                if count.load(Ordering::Relaxed) == before {
                    return Err(RelayEnd::Gone);
                }
            }
        }
    }
}
