//! SOCKS5 (RFC 1928) without passwords: the greeting and a request to connect. Names are resolved
//! by us.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::{BadRequest, ParseProgress, Target};
use crate::guard::Host;

const VERSION: u8 = 5;
const CONNECT: u8 = 1;
const WITHOUT_PASSWORD: u8 = 0;

/// Whether a client takes the one way of connecting that there is: without a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Greeting {
    /// Whether it does.
    pub takes_none: bool,
}

impl Greeting {
    /// The reply for the client.
    pub fn reply(self) -> [u8; 2] {
        [VERSION, if self.takes_none { WITHOUT_PASSWORD } else { 0xff }]
    }
}

/// Reads the greeting.
///
/// # Errors
/// When the bytes are none.
pub fn greeting(bytes: &[u8]) -> ParseProgress<Greeting> {
    match bytes {
        [] | [VERSION] => Ok(None),
        [VERSION, count, rest @ ..] => {
            let count = usize::from(*count);
            let methods = rest.get(..count).map(|methods| methods.contains(&WITHOUT_PASSWORD));
            Ok(methods.map(|takes_none| (Greeting { takes_none }, 2 + count)))
        }
        _ => Err(BadRequest("it is no SOCKS5")),
    }
}

/// Reads the request that follows the greeting.
///
/// # Errors
/// When the bytes are none, or ask for another thing than a connection.
pub fn socks(bytes: &[u8]) -> ParseProgress<Target> {
    let [version, command, reserved, kind, rest @ ..] = bytes else { return Ok(None) };
    if (*version, *reserved) != (VERSION, 0) {
        return Err(BadRequest("it is not a request of SOCKS5"));
    }
    if *command != CONNECT {
        return Err(BadRequest("only connections are made"));
    }
    let (host, length) = match kind {
        1 => match rest.first_chunk::<4>() {
            Some(four) => (Host::Address(IpAddr::V4(Ipv4Addr::from(*four))), 4),
            None => return Ok(None),
        },
        4 => match rest.first_chunk::<16>() {
            Some(sixteen) => (Host::Address(IpAddr::V6(Ipv6Addr::from(*sixteen))), 16),
            None => return Ok(None),
        },
        3 => {
            let Some((length, rest)) = rest.split_first() else { return Ok(None) };
            let Some(name) = rest.get(..usize::from(*length)) else { return Ok(None) };
            let name = std::str::from_utf8(name).map_err(|_| BadRequest("the host is not a string"))?;
            // Some clients write an address as a name.
            let host = match name.parse::<Ipv6Addr>() {
                Ok(address) => Host::Address(IpAddr::V6(address)),
                Err(_) => Host::parse(name).map_err(|_| BadRequest("the host is neither a name nor an address"))?,
            };
            (host, 1 + usize::from(*length))
        }
        _ => return Err(BadRequest("the kind of address is unknown")),
    };
    let Some([high, low]) = rest.get(length..length + 2) else { return Ok(None) };
    let port = u16::from_be_bytes([*high, *low]);
    if port == 0 {
        return Err(BadRequest("the port is not a number from 1 to 65535"));
    }
    Ok(Some((Target { host, port }, 4 + length + 2)))
}

/// The answer to a request: 0 for a connection, 2 for a refusal by rule, 5 for a server that does
/// not answer.
pub(crate) fn socks_reply(code: u8) -> [u8; 10] {
    [VERSION, code, 0, 1, 0, 0, 0, 0, 0, 0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greeting_is_read_whole() {
        assert_eq!(greeting(&[5]), Ok(None));
        assert_eq!(greeting(&[5, 2, 1]), Ok(None));
        assert_eq!(greeting(&[5, 2, 2, 0, 9]), Ok(Some((Greeting { takes_none: true }, 4))));
        assert_eq!(greeting(&[5, 1, 2]).map(|read| read.map(|(greeting, _)| greeting.reply())), Ok(Some([5, 0xff])));
        assert!(greeting(&[4, 1]).is_err());
    }

    #[test]
    fn each_kind_of_address_is_read() {
        let check = |bytes: &[u8], expected: &str| {
            for cut in 0..bytes.len() {
                assert_eq!(socks(&bytes[..cut]), Ok(None), "{expected} up to {cut}");
            }
            let (target, length) = socks(bytes).unwrap().unwrap();
            assert_eq!((target.to_string().as_str(), length), (expected, bytes.len()));
        };
        check(&[5, 1, 0, 1, 127, 0, 0, 1, 0, 80], "127.0.0.1:80");
        check(&[5, 1, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 187], "[::1]:443");
        check(b"\x05\x01\x00\x03\x0bExample.ORG\x01\xbb", "example.org:443");
        check(b"\x05\x01\x00\x03\x0a2130706433\x00\x50", "127.0.0.1:80");
        check(b"\x05\x01\x00\x03\x03::1\x00\x50", "[::1]:80");
        let refused = |bytes: &[u8]| assert!(socks(bytes).is_err(), "{bytes:?}");
        refused(&[5, 2, 0, 1, 1, 1, 1, 1, 0, 80]);
        refused(&[5, 1, 1, 1, 1, 1, 1, 1, 0, 80]);
        refused(&[5, 1, 0, 9, 1]);
        refused(&[5, 1, 0, 1, 1, 1, 1, 1, 0, 0]);
        refused(b"\x05\x01\x00\x03\x03a b\x01\xbb");
        refused(b"\x05\x01\x00\x03\x00\x01\xbb");
    }
}
