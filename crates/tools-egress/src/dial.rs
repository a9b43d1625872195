//! Opens TCP connections to vetted addresses.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use async_trait::async_trait;
use thiserror::Error;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::guard::{Refusal, VettedAddress, VettedHost};

/// Time limit for one address while others are left.
const PATIENCE: Duration = Duration::from_secs(3);

/// Opens connections. It accepts only vetted addresses, enforced by the type.
#[async_trait]
pub trait Dialer: Send + Sync {
    /// Connects to the address; returns the peer's address too.
    async fn connect(&self, address: VettedAddress) -> io::Result<(TcpStream, SocketAddr)>;
}

/// The production dialer.
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
    /// The peer does not have the vetted address.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// No address answered.
    #[error("`{host}` could not be connected to")]
    Connect { host: String, source: io::Error },
}

/// Connects to the first address that answers, and returns that address.
///
/// # Errors
/// If none answers, or the peer does not have a vetted address.
pub async fn dial(dialer: &dyn Dialer, vetted: &VettedHost) -> Result<(TcpStream, SocketAddr), DialError> {
    let mut last = io::Error::from(io::ErrorKind::TimedOut);
    for address in vetted.addresses() {
        match timeout(PATIENCE, dialer.connect(*address)).await {
            Ok(Ok((stream, peer))) => {
                vetted.check_peer(peer)?;
                // A request follows at once; waiting for more data only costs time.
                let _ = stream.set_nodelay(true);
                return Ok((stream, peer));
            }
            Ok(Err(error)) => last = error,
            Err(_) => last = io::Error::from(io::ErrorKind::TimedOut),
        }
    }
    Err(DialError::Connect { host: vetted.host().to_string(), source: last })
}
