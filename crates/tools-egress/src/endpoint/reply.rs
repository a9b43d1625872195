//! What a client is told, in its own protocol: that the way is open, or why it is not.

use tokio::io::{AsyncWriteExt as _, copy, sink};
use tokio::net::TcpStream;
use tokio::time::{Duration, timeout};

use crate::request::socks_reply;

/// How long a client may go on sending what nobody reads before its connection is closed.
const PATIENCE: Duration = Duration::from_millis(500);

/// How a client asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    Connect,
    Forward,
    Socks,
    /// None: the listener itself says where to.
    Direct,
}

/// Why it is not connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum No {
    BadRequest,
    Refused,
    Unreachable,
}

/// Says that bytes go both ways from now on.
pub(super) async fn open(client: &mut TcpStream, protocol: Protocol) -> std::io::Result<()> {
    match protocol {
        Protocol::Connect => client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await,
        Protocol::Socks => client.write_all(&socks_reply(0)).await,
        Protocol::Forward | Protocol::Direct => Ok(()),
    }
}

/// Says no, and why, and closes.
pub(super) async fn refuse(mut client: TcpStream, protocol: Protocol, no: No, why: &str) {
    let said = match protocol {
        Protocol::Connect | Protocol::Forward => client.write_all(page(no, why).as_bytes()).await,
        Protocol::Socks => client.write_all(&socks_reply(if no == No::Unreachable { 5 } else { 2 })).await,
        Protocol::Direct => Ok(()),
    };
    if said.is_ok() && client.shutdown().await.is_ok() {
        // Closing with unread bytes would take the answer back.
        let _ = timeout(PATIENCE, copy(&mut client, &mut sink())).await;
    }
}

fn page(no: No, why: &str) -> String {
    let status = match no {
        No::BadRequest => "400 Bad Request",
        No::Refused => "403 Forbidden",
        No::Unreachable => "502 Bad Gateway",
    };
    let body = format!("haft: {why}\n");
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}
