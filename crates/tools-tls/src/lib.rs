//! TLS for HTTP clients: rustls with ring, HTTP/1.1, and the certificates that this machine trusts.
//! Which address is dialled is decided by the caller.

mod client;

pub use client::{TlsClient, TlsError};
pub use tokio_rustls::rustls::RootCertStore;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
