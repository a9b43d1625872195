//! The server name of a TLS client, read from its first message. Nothing is answered and nothing is
//! decrypted: the message is in the clear, and goes on as it came.

use thiserror::Error;

/// The most that a first message takes: keys that withstand quantum computers make it some
/// kilobytes.
const MAX_HELLO_BYTES: usize = 32 * 1024;
const HANDSHAKE: u8 = 22;
const CLIENT_HELLO: u8 = 1;
const SERVER_NAME: u16 = 0;

/// First message of a TLS client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientHello {
    /// The host that it wants, as it writes it; `None` when it names none.
    pub server_name: Option<String>,
}

/// The bytes are not the beginning of TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("it is no TLS")]
pub struct NoTls;

/// Reads the first message of a client; `None` while more has to come.
///
/// # Errors
/// When the bytes are no TLS, whatever follows.
pub fn client_hello(bytes: &[u8]) -> Result<Option<ClientHello>, NoTls> {
    let mut message = Vec::new();
    let mut rest = bytes;
    loop {
        if let Some(length) = message_length(&message)?
            && message.len() >= 4 + length
        {
            return parse(&message[4..4 + length]).map(Some).ok_or(NoTls);
        }
        if bytes.len() > MAX_HELLO_BYTES {
            return Err(NoTls);
        }
        let Some((record, after)) = record(rest)? else { return Ok(None) };
        message.extend_from_slice(record);
        rest = after;
    }
}

/// A record and what follows it.
type Record<'a> = (&'a [u8], &'a [u8]);

/// The next record of a handshake, and what follows it; `None` while it is not whole.
fn record(bytes: &[u8]) -> Result<Option<Record<'_>>, NoTls> {
    let expected = [HANDSHAKE, 3];
    if bytes.iter().zip(expected).any(|(byte, expected)| *byte != expected) {
        return Err(NoTls);
    }
    let Some((head, rest)) = bytes.split_first_chunk::<5>() else { return Ok(None) };
    let length = usize::from(u16::from_be_bytes([head[3], head[4]]));
    if length == 0 || length > 16 * 1024 {
        return Err(NoTls);
    }
    Ok(rest.split_at_checked(length))
}

/// How long the message is that begins here; `None` while its head is not whole.
fn message_length(message: &[u8]) -> Result<Option<usize>, NoTls> {
    match message {
        [CLIENT_HELLO, high, middle, low, ..] => {
            let length = usize::from(*high) << 16 | usize::from(*middle) << 8 | usize::from(*low);
            if length > MAX_HELLO_BYTES { Err(NoTls) } else { Ok(Some(length)) }
        }
        [] | [CLIENT_HELLO, ..] => Ok(None),
        _ => Err(NoTls),
    }
}

fn parse(hello: &[u8]) -> Option<ClientHello> {
    let mut hello = Bytes(hello);
    hello.take(2 + 32)?;
    hello.list::<1>()?;
    hello.list::<2>()?;
    hello.list::<1>()?;
    let mut server_name = None;
    if !hello.0.is_empty() {
        let mut extensions = Bytes(hello.list::<2>()?);
        while !extensions.0.is_empty() {
            let kind = extensions.number::<2>()?;
            let content = extensions.list::<2>()?;
            if kind == usize::from(SERVER_NAME) {
                // Twice would be two names, of which servers may take either.
                if server_name.is_some() {
                    return None;
                }
                server_name = Some(name(content)?);
            }
        }
    }
    hello.0.is_empty().then_some(ClientHello { server_name })
}

/// The one name of the extension.
fn name(content: &[u8]) -> Option<String> {
    let mut content = Bytes(content);
    let mut names = Bytes(content.list::<2>()?);
    let is_host = names.number::<1>()? == 0;
    let name = std::str::from_utf8(names.list::<2>()?).ok()?;
    (is_host && names.0.is_empty() && content.0.is_empty()).then(|| name.to_owned())
}

/// Bytes that are taken from the front.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// A number of so many bytes.
    fn number<const SIZE: usize>(&mut self) -> Option<usize> {
        Some(self.take(SIZE)?.iter().fold(0, |number, byte| number << 8 | usize::from(*byte)))
    }

    /// What stands behind its length in so many bytes.
    fn list<const SIZE: usize>(&mut self) -> Option<&'a [u8]> {
        let length = self.number::<SIZE>()?;
        self.take(length)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sized(size: usize, bytes: &[u8]) -> Vec<u8> {
        let length = u32::try_from(bytes.len()).unwrap().to_be_bytes();
        [&length[4 - size..], bytes].concat()
    }

    fn hello(names: &[&str]) -> Vec<u8> {
        let mut extensions = [vec![0, 10], sized(2, &[0, 2, 0, 29])].concat();
        for name in names {
            let entry = [vec![0], sized(2, name.as_bytes())].concat();
            extensions.extend([vec![0, 0], sized(2, &sized(2, &entry))].concat());
        }
        let body =
            [vec![3, 3], vec![7; 32], sized(1, &[9; 32]), sized(2, &[0x13, 1]), sized(1, &[0]), sized(2, &extensions)];
        [vec![CLIENT_HELLO], sized(3, &body.concat())].concat()
    }

    fn records(message: &[u8], piece: usize) -> Vec<u8> {
        message.chunks(piece).flat_map(|piece| [vec![HANDSHAKE, 3, 1], sized(2, piece)].concat()).collect()
    }

    #[test]
    fn the_name_is_read_however_the_message_is_cut() {
        let expected = Ok(Some(ClientHello { server_name: Some("example.org".to_owned()) }));
        for piece in [1, 3, 50, 4000] {
            let bytes = records(&hello(&["example.org"]), piece);
            assert_eq!(client_hello(&bytes), expected, "{piece}");
            assert_eq!(client_hello(&bytes[..bytes.len() - 1]), Ok(None), "{piece}");
        }
        assert_eq!(client_hello(&records(&hello(&[]), 99)), Ok(Some(ClientHello { server_name: None })));
        assert_eq!(client_hello(&records(&hello(&["a.org", "b.org"]), 99)), Err(NoTls));
    }

    #[test]
    fn what_is_no_tls_is_told_at_once() {
        for bytes in [
            &b"GET / HTTP/1.1\r\n"[..],
            b"SSH-2.0",
            &[22, 2],
            &[22, 3, 1, 0, 0],
            &[22, 3, 1, 0, 4, 2, 0, 0, 0],
            &[0x80, 0x2e],
        ] {
            assert_eq!(client_hello(bytes), Err(NoTls), "{bytes:?}");
        }
        assert_eq!(client_hello(&records(&vec![CLIENT_HELLO; 40_000], 16_000)), Err(NoTls));
        assert_eq!(client_hello(&[]), Ok(None));
    }

    proptest! {
        #[test]
        fn no_bytes_do_harm(mut bytes in prop::collection::vec(any::<u8>(), 0..300), at in 0_usize..200, to in any::<u8>()) {
            let _ = client_hello(&bytes);
            let _ = crate::request::http(&bytes);
            let _ = crate::request::socks(&bytes);
            let _ = crate::request::greeting(&bytes);
            bytes = records(&hello(&["example.org"]), 70);
            if let Some(byte) = bytes.get_mut(at) {
                *byte = to;
            }
            let _ = client_hello(&bytes);
        }
    }
}
