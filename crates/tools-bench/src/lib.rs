//! What the benches share: interleaved measurements and their medians, a large tree, and servers to
//! speak to.

mod process;
mod server;
mod times;

pub mod tree;

pub use process::run;
pub use server::{Server, release, target};
pub use times::{Times, compare, ratio, timed};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
