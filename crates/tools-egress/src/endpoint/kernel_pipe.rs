//! Bytes from one socket to another inside the kernel: what comes in bulk is not copied into this
//! process and out of it again.

use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};

use rustix::pipe::{PipeFlags, SpliceFlags, fcntl_setpipe_size, pipe_with, splice};
use rustix::process::{Resource, getrlimit};
use tokio::io::Interest;
use tokio::net::TcpStream;

/// What is under way at once. The kernel gives every user this much without a setting.
const SIZE: usize = 1 << 20;

/// A pipe between two sockets.
pub(super) struct KernelPipe {
    output: OwnedFd,
    input: OwnedFd,
}

impl KernelPipe {
    /// A pipe; `None` where the machine gives none, or descriptors run short: a command decides how
    /// many connections there are, and the rest of the process needs some as well.
    pub(super) fn open() -> Option<Self> {
        let (output, input) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK).ok()?;
        let most = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        let is_scarce = u64::try_from(input.as_raw_fd()).is_ok_and(|number| number > most / 2);
        if is_scarce {
            return None;
        }
        // A smaller one works as well, only slower.
        let _ = fcntl_setpipe_size(&input, SIZE);
        Some(Self { output, input })
    }

    /// Takes in what has come from a socket, `most` bytes of it; 0 at its end. The pipe must be
    /// empty.
    pub(super) async fn fill(&self, from: &TcpStream, most: u64) -> io::Result<usize> {
        let most = usize::try_from(most).map_or(SIZE, |most| most.min(SIZE));
        from.async_io(Interest::READABLE, || Ok(splice(from, None, &self.input, None, most, FLAGS)?)).await
    }

    /// Hands on up to `count` bytes of what was taken in; how many it were.
    pub(super) async fn drain(&self, to: &TcpStream, count: usize) -> io::Result<usize> {
        to.async_io(Interest::WRITABLE, || Ok(splice(&self.output, None, to, None, count, FLAGS)?)).await
    }
}

const FLAGS: SpliceFlags = SpliceFlags::MOVE.union(SpliceFlags::NONBLOCK);
