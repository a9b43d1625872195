//! Ports of commands that are reachable from outside of their network.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tools_egress::endpoint::{Endpoint, InnerLoopback, Permit, PublishedPort};

use crate::world::{World, read_all};

/// A network in which one port is listened on.
struct Inside {
    open: u16,
    server: SocketAddr,
}

#[async_trait]
impl InnerLoopback for Inside {
    async fn connect(&self, port: u16) -> io::Result<(TcpStream, SocketAddr)> {
        if port != self.open {
            return Err(io::ErrorKind::ConnectionRefused.into());
        }
        Ok((TcpStream::connect(self.server).await?, SocketAddr::from(([127, 0, 0, 1], port))))
    }
}

fn publish(world: &World, port: u16) -> (Endpoint, SocketAddr) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let inside = Arc::new(Inside { open: 8080, server: world.behind });
    let published = PublishedPort { port, command: 7, by: "tools.shell.publish".to_owned(), inside };
    (Endpoint::publish(listener, published, world.keeper()).unwrap(), address)
}

#[tokio::test]
async fn a_published_port_is_reached_and_each_connection_is_told_of() {
    let world = World::new(&[]).await;
    world.budget(0);
    let (published, address) = publish(&world, 8080);
    for _ in 0..2 {
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(b"hello").await.unwrap();
        client.shutdown().await.unwrap();
        assert_eq!(read_all(&mut client).await, b"<hello>", "what may be sent to hosts is another matter");
    }
    let ended = world.ended(2).await;
    let one = &ended[0];
    assert_eq!((one.target.to_string().as_str(), one.sent, one.received), ("localhost:8080", 5, 7));
    assert!(one.is_inbound && one.caller.command == Some(7) && one.problem.is_none(), "{one:?}");
    assert_eq!(one.permit, Permit::Allowed { by: "tools.shell.publish".to_owned() });
    let mut held = TcpStream::connect(address).await.unwrap();
    held.write_all(b"x").await.unwrap();
    assert_eq!(read_all(&mut held).await, b"<x", "it is open");
    drop(published);
    assert_eq!(world.ended(3).await.len(), 3, "with the port its connections end");
    assert!(TcpStream::connect(address).await.is_err());
    assert!(world.questions().is_empty() && world.dialled().is_empty());
}

#[tokio::test]
async fn a_port_on_which_nothing_listens_is_closed_and_told_of() {
    let world = World::new(&[]).await;
    let (_published, address) = publish(&world, 9);
    let mut client = TcpStream::connect(address).await.unwrap();
    assert_eq!(read_all(&mut client).await, b"");
    let ended = world.ended(1).await;
    let problem = ended[0].problem.as_deref().unwrap_or_default();
    assert!(problem.contains("nothing answers on the published port"), "{ended:?}");
    assert_eq!(ended[0].address, None);
}
