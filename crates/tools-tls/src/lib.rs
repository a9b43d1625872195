//! TLS for HTTP clients: rustls with ring, HTTP/1.1, and the certificates that this machine trusts.
//! Which address is dialled is decided by the caller, or by an [`Endpoint`] (feature `endpoint`).

mod client;
#[cfg(feature = "endpoint")]
mod endpoint;

pub use client::{TlsClient, TlsError};
#[cfg(feature = "endpoint")]
pub use endpoint::{Connection, Endpoint};
pub use tokio_rustls::rustls::RootCertStore;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
