//! Connections from outside to a published port in a network of commands. The port was approved
//! before; connections are not judged.

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

/// Connects to the loopback interface of a network of commands from outside.
#[async_trait]
pub trait InnerLoopback: Send + Sync + 'static {
    /// Connects to this port there; returns the connection and its address.
    async fn connect(&self, port: u16) -> io::Result<(TcpStream, SocketAddr)>;
}

/// A port of a network of commands that is reachable from outside.
pub struct PublishedPort {
    /// The port.
    pub port: u16,
    /// The number of the command that it is published for.
    pub command: u64,
    /// Name of the rule, or of the person, that allowed it.
    pub by: String,
    /// Connector to it.
    pub inside: Arc<dyn InnerLoopback>,
}

/// Serves one connection from outside.
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
            // Whichever side breaks off, both are closed below.
            let _ = relay(&mut client, &mut server, (&[], Upload::Everything), &all, &told.passed).await;
        }
        Err(error) => {
            told.broke_off(format!("nothing answers on the published port: {error}"));
        }
    }
}
