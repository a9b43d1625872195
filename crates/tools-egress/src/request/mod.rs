//! What a client of the endpoint wants, read from its bytes: HTTP `CONNECT` and absolute URLs,
//! SOCKS5, and the beginning of TLS. Pure: bytes in, a request out, or that more is needed, or that
//! it is none.

mod chunked;
mod client_hello;
mod http;
mod socks;
mod target;

pub use chunked::ChunkScanner;
pub use client_hello::{ClientHello, NoTls, client_hello};
pub use http::{Body, HttpRequest, http};
pub(crate) use socks::socks_reply;
pub use socks::{Greeting, greeting, socks};
pub use target::{BadRequest, ParseProgress, Target};
