//! The layer around tools that count their runs: when a result is served again, and when it must
//! not be.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod serving;
mod together;
mod world;
