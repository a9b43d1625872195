//! Opening a TCP connection to an address that was judged.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use async_trait::async_trait;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::error::WebError;
use crate::guard::{Vetted, VettedAddress};

/// How long one address is tried while others are left.
const PATIENCE: Duration = Duration::from_secs(3);

/// Opens connections. It is handed addresses that were judged, and nothing else type-checks.
#[cfg_attr(not(any(test, feature = "test-support")), expect(unreachable_pub, reason = "exported with the feature"))]
#[async_trait]
pub trait Dialer: Send + Sync {
    /// A connection to the address, and what the other side of it is.
    async fn connect(&self, address: VettedAddress) -> io::Result<(TcpStream, SocketAddr)>;
}

/// The dialer of production.
pub(super) struct Tcp;

#[async_trait]
impl Dialer for Tcp {
    async fn connect(&self, address: VettedAddress) -> io::Result<(TcpStream, SocketAddr)> {
        let stream = TcpStream::connect(address.socket()).await?;
        let peer = stream.peer_addr()?;
        Ok((stream, peer))
    }
}

/// A connection to the first address that answers.
pub(super) async fn dial(dialer: &dyn Dialer, vetted: &Vetted) -> Result<TcpStream, WebError> {
    let mut last = io::Error::from(io::ErrorKind::TimedOut);
    for address in vetted.addresses() {
        match timeout(PATIENCE, dialer.connect(*address)).await {
            Ok(Ok((stream, peer))) => {
                vetted.check_peer(peer)?;
                // One request follows at once; waiting for more of it only costs time.
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Ok(Err(error)) => last = error,
            Err(_) => last = io::Error::from(io::ErrorKind::TimedOut),
        }
    }
    Err(WebError::Connect { host: vetted.host().to_string(), source: last })
}
