//! The endpoint over loopback: real clients' bytes, scripted names and answers, a dialer that leads
//! judged addresses to a server of the test and counts.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod attacks;
mod bad_input;
mod decisions;
mod protocols;
mod published;
mod world;
