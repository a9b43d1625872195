//! The audit log: one line per call, redacted, chained by hash, written before the result is
//! returned.
//!
//! [`Audit`] is the layer. It makes an [`Entry`] of every call and its outcome, and hands its text
//! to an [`AuditSink`], which chains and stores it: [`JsonlSink`] in a file that several processes
//! may share, [`MemorySink`] in memory. [`verify()`] checks a file, [`view`] reads it for people.
//!
//! ```
//! use std::sync::Arc;
//! use tools_audit::{Audit, MemorySink, OnError};
//! use tools_secrets::SecretRedactor;
//!
//! let sink = Arc::new(MemorySink::default());
//! let layer = Audit::new(sink.clone(), Arc::new(SecretRedactor::default()), OnError::Block);
//! // `layer` goes right below `announce` in a `Stack`; every call is then a line of `sink.lines()`.
//! # drop(layer);
//! assert!(sink.lines().is_empty());
//! ```

mod config;
mod error;

mod chain;
mod connection;
mod entry;
mod redaction;
mod schema;

mod layer;
#[cfg(feature = "otel")]
mod otlp;
mod running;
mod sink;

mod session;
mod verify;
pub mod view;

pub mod report;

pub use chain::{Head, Mark, SealedLine, ZERO_HASH, seal, unseal};
pub use config::{AuditConfig, Fsync, OnError, Record};
pub use connection::ConnectionLine;
pub use entry::{Entry, Files, RecordedSubject};
pub use error::AuditError;
pub use layer::Audit;
#[cfg(feature = "otel")]
pub use otlp::OtlpSink;
pub use schema::line_schema;
pub use session::{RecordStore, SessionRows};
pub use sink::{AuditSink, JsonlSink, MemorySink, head_file, noted_head};
pub use verify::{
    Broken, Continuation, Damage, Earlier, Report, SessionLines, verify, verify_after, verify_lines, verify_with,
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
