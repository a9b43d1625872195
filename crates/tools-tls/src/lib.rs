//! TLS for HTTP clients: rustls with ring, HTTP/1.1, and the certificates that this machine trusts.
//! The caller or an [`Endpoint`] (feature `endpoint`) decides which address is connected to.

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
