//! The wire formats against fixtures, against rules written down a second time, and over a
//! connection.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod asked;
mod fragments;
mod golden;
mod history;
mod prefix;
mod rules;
mod sdk;
mod server;
mod valid;
