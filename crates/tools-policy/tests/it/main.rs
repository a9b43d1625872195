//! The gates through their public interface.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod decisions;
mod layer;
mod properties;
mod rules;
