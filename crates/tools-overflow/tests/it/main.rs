//! Long output through the public API: every store, the layer, the tool, and what a store must
//! survive.

#![expect(
    clippy::disallowed_methods,
    reason = "servers and writers to be killed are started as a user would start them"
)]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod crash;
mod layer;
mod postgres;
mod reading;
mod stores;
