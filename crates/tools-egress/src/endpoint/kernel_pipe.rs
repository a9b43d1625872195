//! Moves bytes between sockets inside the kernel, so that bulk data are not copied through this
//! process.

use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};

use rustix::pipe::{PipeFlags, SpliceFlags, fcntl_setpipe_size, pipe_with, splice};
use rustix::process::{Resource, getrlimit};
use tokio::io::Interest;
use tokio::net::TcpStream;

/// Capacity of a pipe. The kernel grants every user this much by default.
const SIZE: usize = 1 << 20;

/// A pipe between two sockets.
pub(super) struct KernelPipe {
    output: OwnedFd,
    input: OwnedFd,
}

impl KernelPipe {
    /// Opens a pipe; `None` if the machine refuses it, or descriptors run short: a command
    /// determines the number of connections, and the rest of the process needs descriptors too.
    pub(super) fn open() -> Option<Self> {
        let (output, input) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK).ok()?;
        let most = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        let is_scarce = u64::try_from(input.as_raw_fd()).is_ok_and(|number| number > most / 2);
        if is_scarce {
            return None;
        }
        // A smaller pipe works too, only slower.
        let _ = fcntl_setpipe_size(&input, SIZE);
        Some(Self { output, input })
    }

    /// Reads up to `most` bytes from a socket; 0 at its end. The pipe must be empty.
    pub(super) async fn fill(&self, from: &TcpStream, most: u64) -> io::Result<usize> {
        let most = usize::try_from(most).map_or(SIZE, |most| most.min(SIZE));
        from.async_io(Interest::READABLE, || Ok(splice(from, None, &self.input, None, most, FLAGS)?)).await
    }

    /// Writes up to `count` bytes to a socket; returns their number.
    pub(super) async fn drain(&self, to: &TcpStream, count: usize) -> io::Result<usize> {
        to.async_io(Interest::WRITABLE, || Ok(splice(&self.output, None, to, None, count, FLAGS)?)).await
    }
}

const FLAGS: SpliceFlags = SpliceFlags::MOVE.union(SpliceFlags::NONBLOCK);
