//! Sinks for lines.

mod audit_sink;
mod file;
mod flush;
mod head;
mod jsonl;
mod memory;
mod rotated;
mod tail;

pub use audit_sink::AuditSink;
#[cfg(feature = "otel")]
pub(crate) use file::{open_for_append, write_whole};
pub use head::{head_file, noted_head};
pub use jsonl::JsonlSink;
pub use memory::MemorySink;
pub(crate) use rotated::last_number;
