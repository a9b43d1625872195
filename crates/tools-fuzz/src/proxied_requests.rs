//! Any bytes from a command to the network proxy: a prefix never has more meaning than the whole,
//! and an extracted name occurs in the bytes.

use tools_egress::request::{client_hello, greeting, http, socks};

pub(crate) fn check(bytes: &[u8]) {
    prefixes(bytes, |bytes| http(bytes).map_err(|_| ()));
    prefixes(bytes, |bytes| greeting(bytes).map_err(|_| ()));
    prefixes(bytes, |bytes| socks(bytes).map_err(|_| ()));
    prefixes(bytes, |bytes| client_hello(bytes).map_err(|_| ()));
    if let Ok(Some(hello)) = client_hello(bytes)
        && let Some(name) = hello.server_name
    {
        assert!(name.is_empty() || bytes.windows(name.len().min(1)).any(|part| part == &name.as_bytes()[..1]));
    }
}

/// Checks that a prefix of incomplete bytes is incomplete too.
fn prefixes<T>(bytes: &[u8], parse: impl Fn(&[u8]) -> Result<Option<T>, ()>) {
    if let Ok(None) = parse(bytes) {
        for end in [bytes.len() / 2, bytes.len().saturating_sub(1)] {
            assert!(matches!(parse(&bytes[..end]), Ok(None)), "the first {end} bytes say more than all of them");
        }
    }
}
