//! Accepts connections and handles each: parse, judge, connect, compare, relay, report.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};
use tools_core::in_runtime;

use super::gate::Gate;
use super::keeper::{Keeper, Permit};
use super::published::{self, PublishedPort};
use super::relay::{RelayEnd, Upload, relay};
use super::reply::{Protocol, RejectReason, open, refuse};
use super::report::ConnectionReport;
use super::server_name::{self, TLS_PORT};
use crate::dial::DialError;
use crate::request::{BadRequest, Body, ChunkScanner, HttpRequest, ParseProgress, Target, greeting, http, socks};

/// Maximum number of connections served at once; others wait.
const MAX_CONNECTIONS: usize = 128;
/// Time limit for a client to send its request.
const PATIENCE: Duration = Duration::from_secs(10);
/// Pause after a failed accept: the process may be briefly out of descriptors.
const PAUSE: Duration = Duration::from_millis(20);

/// Purpose of a listener.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Door {
    /// Clients name their target.
    Proxy,
    /// A fixed target, without a protocol.
    To(Target),
}

/// A served listener. Dropping it closes it and all its connections.
#[derive(Debug)]
pub struct Endpoint(JoinHandle<()>);

impl Endpoint {
    /// Serves a listener from now on.
    ///
    /// # Errors
    /// When the runtime does not take the listener; [`NoRuntime`](tools_core::NoRuntime) outside of
    /// a tokio runtime with timers and I/O.
    pub fn start(listener: TcpListener, door: Door, gate: Arc<Gate>) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let listener = in_runtime(|| tokio::net::TcpListener::from_std(listener))??;
        let served = move |client, peer| serve(client, peer, door.clone(), Arc::clone(&gate));
        Ok(Self(tokio::spawn(accept(listener, served))))
    }

    /// Makes a port inside of a network reachable through a listener outside of it. Must be called
    /// like [`Endpoint::start`].
    ///
    /// # Errors
    /// If the runtime does not accept the listener.
    pub fn publish(listener: TcpListener, port: PublishedPort, keeper: Arc<dyn Keeper>) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let listener = in_runtime(|| tokio::net::TcpListener::from_std(listener))??;
        let port = Arc::new(port);
        let served = move |client, _| published::serve(client, Arc::clone(&port), Arc::clone(&keeper));
        Ok(Self(tokio::spawn(accept(listener, served))))
    }
}

/// Accepts connections for ever. Dropping this ends them.
async fn accept<S: Future<Output = ()> + Send + 'static>(
    listener: tokio::net::TcpListener,
    serve: impl Fn(TcpStream, SocketAddr) -> S,
) {
    let mut connections = JoinSet::new();
    loop {
        while connections.len() >= MAX_CONNECTIONS {
            connections.join_next().await;
        }
        while connections.try_join_next().is_some() {}
        match listener.accept().await {
            Ok((client, peer)) => {
                connections.spawn(serve(client, peer));
            }
            Err(_) => sleep(PAUSE).await,
        }
    }
}

impl Endpoint {
    /// Whether it still serves: it ends with its runtime.
    pub fn is_running(&self) -> bool {
        !self.0.is_finished()
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A client's request and the data after it.
struct ClientRequest {
    protocol: Protocol,
    target: Target,
    /// Data to send to the server first.
    begun: Vec<u8>,
    upload: Upload,
}

async fn serve(mut client: TcpStream, peer: SocketAddr, door: Door, gate: Arc<Gate>) {
    let _ = client.set_nodelay(true);
    let asked = match door {
        Door::To(target) => {
            ClientRequest { protocol: Protocol::Direct, target, begun: vec![], upload: Upload::Everything }
        }
        Door::Proxy => match timeout(PATIENCE, ask(&mut client)).await {
            Ok(Ok(asked)) => asked,
            Ok(Err((protocol, why))) => return refuse(client, protocol, RejectReason::BadRequest, why.0).await,
            Err(_) => return,
        },
    };
    let keeper = Arc::clone(gate.keeper());
    let caller = tokio::task::spawn_blocking(move || keeper.caller(peer)).await.unwrap_or_default();
    let mut told = ConnectionReport::new(Arc::clone(gate.keeper()), asked.target.clone(), caller);
    let protocol = asked.protocol;
    if let Err((no, why)) = pass(&mut client, asked, &gate, &mut told).await {
        // Recorded before anybody gets the answer.
        drop(told);
        refuse(client, protocol, no, &why).await;
    }
}

/// Handles the connection from its decision to its end. Errors are sent to the client.
async fn pass(
    client: &mut TcpStream,
    asked: ClientRequest,
    gate: &Gate,
    told: &mut ConnectionReport,
) -> Result<(), (RejectReason, String)> {
    let ClientRequest { protocol, target, mut begun, upload } = asked;
    let decided = gate.decide(&target, &told.connection.caller).await;
    told.connection.permit = decided.permit.clone();
    if let Permit::Refused { by } = &decided.permit {
        return Err((RejectReason::Refused, format!("`{target}` is refused: {by}")));
    }
    if target.port == TLS_PORT && protocol == Protocol::Forward {
        let why = "port 443 takes TLS only".to_owned();
        return Err((RejectReason::Refused, told.broke_off(why)));
    }
    let (mut server, address) = match gate.connect(&target, &decided).await {
        Ok(connected) => connected,
        Err(error) => {
            let no =
                if matches!(error, DialError::Refused(_)) { RejectReason::Refused } else { RejectReason::Unreachable };
            return Err((no, told.broke_off(format!("`{target}`: {error}"))));
        }
    };
    told.connection.address = Some(address);
    if open(client, protocol).await.is_err() {
        told.broke_off("the client went away".to_owned());
        return Ok(());
    }
    if target.port == TLS_PORT
        && let Err(why) = server_name::check(client, &target.host, &mut begun).await
    {
        // The server's answer was not read, and the client's protocol is over, so the client gets
        // no message.
        told.broke_off(why);
        let _ = client.shutdown().await;
        return Ok(());
    }
    let spent = gate.spent_on(&target.host);
    let why = match relay(client, &mut server, (&begun, upload), &spent, &told.passed).await {
        Err(RelayEnd::Budget) => "the bytes that may be sent to this host are used up (`tools.shell.sent_per_host`)",
        Err(RelayEnd::Body(bad)) => bad.0,
        Ok(()) | Err(RelayEnd::Gone) => return Ok(()),
    };
    told.broke_off(why.to_owned());
    Ok(())
}

type Bad = (Protocol, BadRequest);

/// Reads a client's request. The parsers limit its size.
async fn ask(client: &mut TcpStream) -> Result<ClientRequest, Bad> {
    let mut bytes = Vec::new();
    fill(client, &mut bytes, Protocol::Direct).await?;
    if bytes.first() == Some(&5) {
        return ask_socks(client, bytes).await;
    }
    let request = parsed(client, &mut bytes, Protocol::Connect, http).await?;
    Ok(match request {
        HttpRequest::Connect(target) => {
            ClientRequest { protocol: Protocol::Connect, target, begun: bytes, upload: Upload::Everything }
        }
        HttpRequest::Forward { target, mut head, body } => {
            // Data sent with the request, limited to what belongs to it.
            let (count, upload) = match body {
                Body::Length(length) => {
                    let count = usize::try_from(length).unwrap_or(usize::MAX).min(bytes.len());
                    (count, Upload::Length(length - count as u64))
                }
                Body::Chunked => {
                    let mut chunks = ChunkScanner::default();
                    let count = chunks.take(&bytes).map_err(|bad| (Protocol::Forward, bad))?;
                    (count, Upload::Chunks(chunks))
                }
            };
            head.extend_from_slice(&bytes[..count]);
            ClientRequest { protocol: Protocol::Forward, target, begun: head, upload }
        }
    })
}

async fn ask_socks(client: &mut TcpStream, mut bytes: Vec<u8>) -> Result<ClientRequest, Bad> {
    // Before the request there is no way to report a reason.
    let greeted = parsed(client, &mut bytes, Protocol::Direct, greeting).await?;
    let gone = |_| (Protocol::Direct, BadRequest("the client went away"));
    client.write_all(&greeted.reply()).await.map_err(gone)?;
    if !greeted.takes_none {
        return Err((Protocol::Direct, BadRequest("there is no password")));
    }
    let target = parsed(client, &mut bytes, Protocol::Socks, socks).await?;
    Ok(ClientRequest { protocol: Protocol::Socks, target, begun: bytes, upload: Upload::Everything })
}

/// Parses received data with `parse`, and reads more as needed.
async fn parsed<T>(
    client: &mut TcpStream,
    bytes: &mut Vec<u8>,
    protocol: Protocol,
    parse: fn(&[u8]) -> ParseProgress<T>,
) -> Result<T, Bad> {
    loop {
        if let Some((read, length)) = parse(bytes).map_err(|bad| (protocol, bad))? {
            bytes.drain(..length);
            return Ok(read);
        }
        fill(client, bytes, protocol).await?;
    }
}

async fn fill(client: &mut TcpStream, bytes: &mut Vec<u8>, protocol: Protocol) -> Result<(), Bad> {
    bytes.reserve(4096);
    match client.read_buf(bytes).await {
        Ok(1..) => Ok(()),
        Ok(0) | Err(_) => Err((protocol, BadRequest("the client went away"))),
    }
}
