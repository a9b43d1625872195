//! Agents and editors that people already use, as hosts of the tools: what their hooks read and
//! answer, and how their configuration files are changed without touching anything else in them.
//!
//! Everything here is a pure function over text and JSON: nothing is judged, read from disk or
//! written.

pub mod hook;

pub mod files;

mod host;

pub use host::{Host, UnknownHost};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
