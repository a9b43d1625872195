//! Opening a TCP connection to an address that was judged.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use async_trait::async_trait;
use thiserror::Error;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::guard::{Refusal, Vetted, VettedAddress};

/// How long one address is tried while others are left.
const PATIENCE: Duration = Duration::from_secs(3);

/// Opens connections. It is handed addresses that were judged, and nothing else type-checks.
#[async_trait]
pub trait Dialer: Send + Sync {
    /// A connection to the address, and what the other side of it is.
    async fn connect(&self, address: VettedAddress) -> io::Result<(TcpStream, SocketAddr)>;
}

/// The dialer of production.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tcp;

#[async_trait]
impl Dialer for Tcp {
    async fn connect(&self, address: VettedAddress) -> io::Result<(TcpStream, SocketAddr)> {
        let stream = TcpStream::connect(address.socket()).await?;
        let peer = stream.peer_addr()?;
        Ok((stream, peer))
    }
}

/// Reason why a connection failed.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum DialError {
    /// The other side is not what was judged.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// No address answered.
    #[error("`{host}` could not be connected to")]
    Connect { host: String, source: io::Error },
}

/// A connection to the first address that answers, and that address.
///
/// # Errors
/// When none does, or the other side has an address that was not judged.
pub async fn dial(dialer: &dyn Dialer, vetted: &Vetted) -> Result<(TcpStream, SocketAddr), DialError> {
    let mut last = io::Error::from(io::ErrorKind::TimedOut);
    for address in vetted.addresses() {
        match timeout(PATIENCE, dialer.connect(*address)).await {
            Ok(Ok((stream, peer))) => {
                vetted.check_peer(peer)?;
                // A request follows at once; waiting for more of it only costs time.
                let _ = stream.set_nodelay(true);
                return Ok((stream, peer));
            }
            Ok(Err(error)) => last = error,
            Err(_) => last = io::Error::from(io::ErrorKind::TimedOut),
        }
    }
    Err(DialError::Connect { host: vetted.host().to_string(), source: last })
}
