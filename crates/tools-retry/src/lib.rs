//! Trying again: only calls that may be, after failures that may pass, within bounds of number and
//! time.

mod config;
mod decide;
mod layer;

pub use config::{RetryConfig, RetryPolicy};
pub use layer::RetryLayer;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
