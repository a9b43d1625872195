//! The core through its public face: one result per call, two paths of confirmation, the order of
//! layers.

#![expect(clippy::unwrap_used, reason = "a failed set-up is a failed test")]

mod composite;
mod confirmation;
mod lifecycle;
mod one_result;
mod question;
mod rewriting;
mod scripts;
mod settle;
mod typed;
