//! The way in: what listens on one port of a network of commands, reached from outside of it. The
//! port was agreed to before; nothing is decided about a connection.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::net::TcpStream;

use super::gate::ByteBudget;
use super::keeper::{Caller, Keeper, Permit};
use super::relay::{Upload, relay};
use super::report::ConnectionReport;
use crate::guard::Host;
use crate::request::Target;

/// Connects to the loopback interface of a network of commands, from outside of it.
#[async_trait]
pub trait InnerLoopback: Send + Sync + 'static {
    /// A connection to what listens on this port there, and its address.
    async fn connect(&self, port: u16) -> io::Result<(TcpStream, SocketAddr)>;
}

/// A port of a network of commands that is reachable from outside.
pub struct PublishedPort {
    /// The port.
    pub port: u16,
    /// The number of the command that it is published for.
    pub command: u64,
    /// Name of the rule that allows it, or of whoever agreed to it.
    pub by: String,
    /// The way to it.
    pub inside: Arc<dyn InnerLoopback>,
}

/// One connection from outside, from its beginning to its end.
pub(super) async fn serve(mut client: TcpStream, published: Arc<PublishedPort>, keeper: Arc<dyn Keeper>) {
    let _ = client.set_nodelay(true);
    let target = Target { host: Host::Name("localhost".to_owned()), port: published.port };
    let caller = Caller { program: None, command: Some(published.command) };
    let mut told = ConnectionReport::new(keeper, target, caller);
    told.connection.is_inbound = true;
    told.connection.permit = Permit::Allowed { by: published.by.clone() };
    match published.inside.connect(published.port).await {
        Ok((mut server, address)) => {
            let _ = server.set_nodelay(true);
            told.connection.address = Some(address);
            let all = ByteBudget::unlimited();
            // Whoever breaks off, both sides are closed by what follows.
            let _ = relay(&mut client, &mut server, (&[], Upload::Everything), &all, &told.passed).await;
        }
        Err(error) => {
            told.broke_off(format!("nothing answers on the published port: {error}"));
        }
    }
}
