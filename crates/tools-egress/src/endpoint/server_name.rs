//! On port 443 a client must use TLS and name the host it was connected to. So an allowed name
//! cannot lead to another host at the same address, unless the server decrypts an encrypted client
//! hello.

use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::guard::Host;
use crate::request::{ClientHello, client_hello};

/// Time limit for a client's first message.
const PATIENCE: Duration = Duration::from_secs(30);

/// The port that requires TLS.
pub(super) const TLS_PORT: u16 = 443;

/// Reads the first message of a client into `begun`, which contains already received data, and
/// checks it.
///
/// # Errors
/// Why the connection must be refused.
pub(super) async fn check(client: &mut TcpStream, host: &Host, begun: &mut Vec<u8>) -> Result<(), String> {
    let reading = async {
        loop {
            match client_hello(begun) {
                Ok(Some(hello)) => return Ok(hello),
                Ok(None) => {}
                Err(_) => return Err("port 443 takes TLS only".to_owned()),
            }
            match client.read_buf(begun).await {
                Ok(1..) => {}
                Ok(0) | Err(_) => return Err("the client went before it said a word".to_owned()),
            }
        }
    };
    let hello = timeout(PATIENCE, reading).await.map_err(|_| "the client said nothing".to_owned())??;
    if is_of(&hello, host) {
        return Ok(());
    }
    Err(match hello.server_name {
        Some(name) => format!("TLS asks for `{}`, another host than the connection", shown(&name)),
        None => "TLS names no host".to_owned(),
    })
}

/// Whether a client names this host. TLS does not name addresses.
fn is_of(hello: &ClientHello, host: &Host) -> bool {
    match (&hello.server_name, host) {
        (None, Host::Address(_)) => true,
        (None, Host::Name(_)) => false,
        // Compare exactly: a server accepts no other spelling of a host.
        (Some(name), Host::Name(host)) => name.strip_suffix('.').unwrap_or(name).eq_ignore_ascii_case(host),
        (Some(name), Host::Address(address)) => name.parse() == Ok(*address),
    }
}

fn shown(name: &str) -> String {
    name.chars().take(80).flat_map(char::escape_debug).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_in_tls_is_that_of_the_connection() {
        let check = |name: Option<&str>, host: &str, expected: bool| {
            let hello = ClientHello { server_name: name.map(str::to_owned) };
            assert_eq!(is_of(&hello, &Host::parse(host).unwrap()), expected, "{name:?} for {host}");
        };
        check(Some("example.org"), "example.org", true);
        check(Some("Example.ORG"), "example.org", true);
        check(Some("other.org"), "example.org", false);
        check(Some("a.example.org"), "example.org", false);
        check(Some("example.org."), "example.org", true);
        check(Some("example.org.."), "example.org", false);
        check(Some("example%2Eorg"), "example.org", false);
        check(Some("\u{ff45}xample.org"), "example.org", false);
        check(Some("example\u{3002}org"), "example.org", false);
        check(Some("b\u{fc}cher.de"), "b\u{fc}cher.de", false);
        check(Some("XN--BCHER-KVA.de"), "b\u{fc}cher.de", true);
        check(Some(""), "example.org", false);
        check(Some("93.184.215.14"), "93.184.215.14", true);
        check(Some("0x5d.184.215.14"), "93.184.215.14", false);
        check(None, "example.org", false);
        check(None, "93.184.215.14", true);
        check(Some("example.org"), "93.184.215.14", false);
    }
}
