//! Network access: which addresses may be reached, and the endpoint through which commands reach
//! them.
//!
//! [`guard`] resolves a host to vetted addresses, and [`dial`] connects only to those. [`rules`]
//! defines which hosts an operator allows. [`endpoint`] is the proxy for commands in a separate
//! network: each connection passes the rules and the guard, whatever its protocol. [`request`]
//! parses those protocols and opens no connections.

pub mod guard;

pub mod dial;

pub mod rules;

pub mod request;

pub mod endpoint;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
