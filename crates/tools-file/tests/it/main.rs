//! The ten tools through their executor, in a workspace on disk.

#![expect(clippy::unwrap_used, reason = "a failed set-up is a failed test")]

mod contract;
mod edits;
mod foresee;
mod mutate;
mod race;
mod read;
mod search;
mod world;
mod write;
