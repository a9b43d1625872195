//! Configurations of older forms: what they say, said in the keys of today.
//!
//! A list of numbered steps, each a function from table to table that leaves alone what it is not
//! about, so that comments, order and unknown keys stay and a text that is up to date comes out as
//! it went in. Steps whose old keys are not read any more also run in memory when a configuration
//! is loaded.

#[cfg(feature = "filter")]
mod filters;
#[cfg(all(feature = "policy", feature = "shell"))]
mod lists;
mod names;
mod network;
mod retry;
mod steps;
mod tables;

pub use steps::{Migration, migrate};

pub(crate) use network::network_of_switch;
pub(crate) use steps::to_load;

use steps::Notes;
