//! Agents and editors as hosts of the tools: the format of their hooks, and edits of their
//! configuration files that change nothing else.
//!
//! Everything here is a pure function over text and JSON: no judgement, and no I/O.

pub mod hook;

pub mod files;

mod host;

pub use host::{Host, UnknownHost};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
