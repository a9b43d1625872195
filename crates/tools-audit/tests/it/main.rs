//! The audit log through its public interface.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod file;
mod head;
mod layer;
#[cfg(feature = "otel")]
mod otlp;
mod schema;
mod verify;
mod view;
