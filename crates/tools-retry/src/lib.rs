//! Retries of calls: only of tools that may be repeated, after failures that may pass, with a limit
//! on the number of attempts and on the time.

mod config;
mod decide;
mod layer;

pub use config::{RetryConfig, RetryPolicy};
pub use layer::RetryLayer;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
