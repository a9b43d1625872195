//! Replies to a client in its own protocol: that the connection is open, or why it is refused.

use tokio::io::{AsyncWriteExt as _, copy, sink};
use tokio::net::TcpStream;
use tokio::time::{Duration, timeout};

use crate::request::socks_reply;

/// Time for which input of a refused client is still read before closing.
const PATIENCE: Duration = Duration::from_millis(500);

/// The client's protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    Connect,
    Forward,
    Socks,
    /// None: the listener has a fixed target.
    Direct,
}

/// Why it is not connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RejectReason {
    BadRequest,
    Refused,
    Unreachable,
}

/// Reports that the connection is open.
pub(super) async fn open(client: &mut TcpStream, protocol: Protocol) -> std::io::Result<()> {
    match protocol {
        Protocol::Connect => client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await,
        Protocol::Socks => client.write_all(&socks_reply(0)).await,
        Protocol::Forward | Protocol::Direct => Ok(()),
    }
}

/// Reports a refusal and its reason, and closes.
pub(super) async fn refuse(mut client: TcpStream, protocol: Protocol, no: RejectReason, why: &str) {
    let said = match protocol {
        Protocol::Connect | Protocol::Forward => client.write_all(page(no, why).as_bytes()).await,
        Protocol::Socks => client.write_all(&socks_reply(if no == RejectReason::Unreachable { 5 } else { 2 })).await,
        Protocol::Direct => Ok(()),
    };
    if said.is_ok() && client.shutdown().await.is_ok() {
        // Closing with unread bytes would discard the answer.
        let _ = timeout(PATIENCE, copy(&mut client, &mut sink())).await;
    }
}

fn page(no: RejectReason, why: &str) -> String {
    let status = match no {
        RejectReason::BadRequest => "400 Bad Request",
        RejectReason::Refused => "403 Forbidden",
        RejectReason::Unreachable => "502 Bad Gateway",
    };
    let body = format!("haft: {why}\n");
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}
