//! The gates through their public interface.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod decisions;
mod gates;
mod layer;
mod policy;
mod properties;
mod rules;
mod stored;
