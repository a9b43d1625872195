//! The socket between the agent and a viewer: it has a name that nobody can guess and no place in
//! the file system, so that nothing is left of it, and only processes of the same user are let in.

use std::io;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::{SocketAddr, UnixListener as StdListener, UnixStream as StdStream};

use tokio::net::{UnixListener, UnixStream};
use tools_core::CallId;

/// Connects a viewer.
///
/// # Errors
/// When no agent waits under this name.
pub(super) fn connect(name: &str) -> io::Result<StdStream> {
    StdStream::connect_addr(&SocketAddr::from_abstract_name(name)?)
}

/// Where one viewer is waited for.
pub(super) struct Link {
    listener: UnixListener,
    name: String,
    user: u32,
}

impl Link {
    /// A fresh one.
    ///
    /// # Errors
    /// When the system gives none.
    pub(super) fn open() -> io::Result<Self> {
        // Identifiers of calls are drawn at random, and this one names no call.
        let name = format!("haft-terminal-{}", CallId::generate());
        let listener = StdListener::bind_addr(&SocketAddr::from_abstract_name(&name)?)?;
        listener.set_nonblocking(true)?;
        let user = std::fs::metadata("/proc/self")?.uid();
        Ok(Self { listener: UnixListener::from_std(listener)?, name, user })
    }

    /// The name that the viewer is given.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Waits for the viewer. Processes of other users are turned away.
    ///
    /// # Errors
    /// When the socket fails.
    pub(super) async fn accept(self) -> io::Result<UnixStream> {
        loop {
            let (stream, _) = self.listener.accept().await?;
            if stream.peer_cred()?.uid() == self.user {
                return Ok(stream);
            }
        }
    }
}
