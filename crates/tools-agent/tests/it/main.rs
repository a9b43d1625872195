//! The loop through its public API: a model in the process, tools that do what a test says.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bounds;
mod compress;
mod delegation;
mod doubles;
mod early;
mod editors;
mod fences;
mod loops;
mod random;
mod sessions;
