//! The server as a client sees it, over a pair of streams in memory.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

mod support;

mod answers;
mod calls;
mod confirmation;
mod hostile;
mod input;
mod late;
mod lists;
mod modern;
mod progress;
mod roots;
mod setup;
mod subscriptions;
