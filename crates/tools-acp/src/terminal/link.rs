//! The socket between the agent and a viewer. It has a random name outside of the file system, so
//! that nothing is left of it, and admits only processes of the same user.

use std::io;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::{SocketAddr, UnixListener as StdListener, UnixStream as StdStream};

use tokio::net::{UnixListener, UnixStream};
use tools_core::CallId;

/// Connects a viewer.
///
/// # Errors
/// If no agent listens under this name.
pub(super) fn connect(name: &str) -> io::Result<StdStream> {
    StdStream::connect_addr(&SocketAddr::from_abstract_name(name)?)
}

/// Listener for one viewer.
pub(super) struct Link {
    listener: UnixListener,
    name: String,
    user: u32,
}

impl Link {
    /// Creates a listener.
    ///
    /// # Errors
    /// If the system refuses it.
    pub(super) fn open() -> io::Result<Self> {
        // Identifiers of calls are random, and this one belongs to no call.
        let name = format!("haft-terminal-{}", CallId::generate());
        let listener = StdListener::bind_addr(&SocketAddr::from_abstract_name(&name)?)?;
        listener.set_nonblocking(true)?;
        let user = std::fs::metadata("/proc/self")?.uid();
        Ok(Self { listener: UnixListener::from_std(listener)?, name, user })
    }

    /// Name of the socket for the viewer.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Waits for the viewer. Refuses processes of other users.
    ///
    /// # Errors
    /// If the socket fails.
    pub(super) async fn accept(self) -> io::Result<UnixStream> {
        loop {
            let (stream, _) = self.listener.accept().await?;
            if stream.peer_cred()?.uid() == self.user {
                return Ok(stream);
            }
        }
    }
}
