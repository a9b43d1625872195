//! The tool through its executor, with real and with scripted checkers.

#![expect(clippy::unwrap_used, reason = "a failed set-up is a failed test")]

mod alone;
mod contract;
mod project;
mod run;
mod world;
