//! The standard streams of the process without a thread hand-off per message, for pipes and
//! sockets.
//!
//! rmcp handles pipes. Clients that run on Node or Bun start a server with sockets instead, for
//! which rmcp falls back to a pool of blocking threads: here the reactor reads and writes them.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;

/// The reading end of standard input.
pub(crate) type Input = Box<dyn AsyncRead + Send + Sync + Unpin>;
/// The writing end of standard output.
pub(crate) type Output = Box<dyn AsyncWrite + Send + Sync + Unpin>;

/// Standard input and output.
pub(crate) fn streams() -> (Input, Output) {
    if let (Some(input), Some(output)) = (socket(io::stdin().as_fd()), socket(io::stdout().as_fd())) {
        return (Box::new(input), Box::new(output));
    }
    let (input, output) = rmcp::transport::stdio_pipes();
    (Box::new(input), Box::new(output))
}

/// The descriptor as a socket; `None` if it is something else.
fn socket(stream: BorrowedFd<'_>) -> Option<UnixStream> {
    let own: OwnedFd = stream.try_clone_to_owned().ok()?;
    let file = File::from(own);
    if !file.metadata().ok()?.file_type().is_socket() {
        return None;
    }
    let socket = net::UnixStream::from(OwnedFd::from(file));
    // Only Unix sockets: the peer of a network socket is not a process that started us.
    socket.local_addr().ok()?;
    socket.set_nonblocking(true).ok()?;
    UnixStream::from_std(socket).ok()
}
