//! The way out of a machine: which addresses may be reached, and the endpoint through which
//! commands reach them.
//!
//! [`guard`] turns a host into addresses that were judged, [`dial`] connects to those and to no
//! other. [`rules`] says which hosts an operator allows. [`endpoint`] is the proxy that commands in
//! a network of their own find: each connection passes the rules and the guard, whatever protocol
//! it came by. [`request`] reads those protocols; it opens nothing.

pub mod guard;

pub mod dial;

pub mod rules;

pub mod request;

pub mod endpoint;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
