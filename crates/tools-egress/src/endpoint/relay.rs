//! Bytes both ways between a client and its server, counted, until both sides have ended.

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

/// What is taken at once.
const CHUNK: usize = 256 * 1024;
/// Bytes one way after which the kernel passes the rest.
const BULK: u64 = 512 * 1024;
/// How long a side may be silent after the other has ended.
const PATIENCE: Duration = Duration::from_mins(5);
/// How long a server may be silent after a client has closed, whose one request it was sent. Most
/// such clients are gone; their connections would keep others from being accepted.
const PATIENCE_WITH_ONE: Duration = Duration::from_secs(10);

/// What of the client's bytes goes to the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Upload {
    /// All.
    Everything,
    /// So many bytes: the body of one request, as far as it is still to come.
    Length(u64),
    /// The rest of the chunks of one request.
    Chunks(ChunkScanner),
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
    /// The body of the request cannot be read.
    Body(BadRequest),
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
        // A server that was sent one request may take the end of the stream for the client's. The
        // client waits for its answer until it closes, and what it sends meanwhile goes nowhere.
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

/// One way that bytes go, with their account.
struct Direction<'a> {
    budget: &'a ByteBudget,
    passed: &'a AtomicU64,
}

impl Direction<'_> {
    async fn send(&self, to: &mut WriteHalf<'_>, bytes: &[u8]) -> Result<(), Broken> {
        self.take(bytes.len())?;
        to.write_all(bytes).await?;
        self.passed.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    fn take(&self, count: usize) -> Result<(), Broken> {
        if self.budget.take(count as u64) { Ok(()) } else { Err(Broken::Budget) }
    }

    /// Passes bytes on until there are no more, or `left` have passed.
    async fn pass(&self, from: &mut ReadHalf<'_>, to: &mut WriteHalf<'_>, mut left: u64) -> Result<(), Broken> {
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

    /// Passes a body on until its last chunk.
    async fn pass_chunks(
        &self,
        from: &mut ReadHalf<'_>,
        to: &mut WriteHalf<'_>,
        mut chunks: ChunkScanner,
    ) -> Result<(), Broken> {
        let mut buffer = Buffer::new();
        while !chunks.is_at_end() {
            let count = from.read(buffer.room(u64::MAX)).await?;
            if count == 0 {
                break;
            }
            let bytes = buffer.taken(count);
            let of_body = chunks.take(bytes).map_err(Broken::Body)?;
            self.send(to, &bytes[..of_body]).await?;
        }
        Ok(())
    }

    /// Bulk of a connection, once it has carried so much.
    async fn splice(&self, pipe: &KernelPipe, from: &TcpStream, to: &TcpStream, mut left: u64) -> Result<(), Broken> {
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
                    return Err(Broken::Gone);
                }
                self.passed.fetch_add(drained as u64, Ordering::Relaxed);
                count -= drained;
            }
        }
        Ok(())
    }
}

/// Room for what is under way: little for a connection of few bytes, more once it was filled.
struct Buffer(Vec<u8>);

impl Buffer {
    const MIN_BUFFER_BYTES: usize = 8 * 1024;

    fn new() -> Self {
        Self(vec![0; Self::MIN_BUFFER_BYTES])
    }

    /// Room for at most `left` bytes.
    fn room(&mut self, left: u64) -> &mut [u8] {
        let most = usize::try_from(left).map_or(self.0.len(), |left| left.min(self.0.len()));
        &mut self.0[..most]
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
    patience: Duration,
) -> Result<(), Broken> {
    loop {
        let before = count.load(Ordering::Relaxed);
        tokio::select! {
            ended = &mut side => return ended,
            () = sleep(patience) => {
                if count.load(Ordering::Relaxed) == before {
                    return Err(Broken::Gone);
                }
            }
        }
    }
}
