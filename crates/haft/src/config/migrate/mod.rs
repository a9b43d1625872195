//! Migrates configurations of older formats to the current keys.
//!
//! The migration is a list of numbered steps. Each is a function from table to table that leaves
//! unrelated content alone, so that comments, order and unknown keys stay and a current text does
//! not change. Steps whose old keys are no longer read also run in memory when a configuration is
//! loaded.

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
