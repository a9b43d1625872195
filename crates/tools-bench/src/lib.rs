//! Helpers of the benches: interleaved measurements and their medians, a large tree, toolboxes, and
//! server processes.

mod process;
mod server;
mod times;
mod toolbox;

pub mod tree;

pub use process::run;
pub use server::{Server, release, target};
pub use times::{Times, compare, ratio, timed};
pub use toolbox::{allowed, toolbox};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
