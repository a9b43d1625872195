//! Connections into the network of a session, to the loopback interface of its commands.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use async_trait::async_trait;
use tokio::net::{TcpSocket, TcpStream};
use tools_egress::endpoint::InnerLoopback;
use tools_sandbox::kernel::{IpFamily, NetworkNamespace};

/// The network of a session, as its published ports see it.
pub(crate) struct SessionLoopback(pub(crate) Arc<NetworkNamespace>);

/// The loopback addresses of both protocols: some servers listen only on `::1`.
const LOOPBACKS: [(IpFamily, IpAddr); 2] =
    [(IpFamily::V4, IpAddr::V4(Ipv4Addr::LOCALHOST)), (IpFamily::V6, IpAddr::V6(Ipv6Addr::LOCALHOST))];

#[async_trait]
impl InnerLoopback for SessionLoopback {
    async fn connect(&self, port: u16) -> io::Result<(TcpStream, SocketAddr)> {
        let mut last = io::Error::from(io::ErrorKind::ConnectionRefused);
        for (family, address) in LOOPBACKS {
            let network = Arc::clone(&self.0);
            let opened = tokio::task::spawn_blocking(move || network.socket(family)).await;
            let socket = opened.map_err(io::Error::other)??;
            let address = SocketAddr::new(address, port);
            match TcpSocket::from_std_stream(socket.into()).connect(address).await {
                Ok(stream) => return Ok((stream, address)),
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}
