//! State that several machines share, in a PostgreSQL database, behind the traits of the crates
//! that own the state. Each store names its own database and migrates it to its schema; connections
//! are opened at the first use.
//!
//! Module `approvals` (the feature of the same name): approvals and rejections that outlast a
//! session. A line is added in one transaction; it applies from the next matching call of every
//! process.
//!
//! Module `audit` (the feature of the same name): the record of calls. Each process writes its own
//! chain and notes the heads of the others, so that a chain that was cut after its process ended is
//! detected.
//!
//! Module `quota` (the feature of the same name): the accounts of callers. Each call is counted in
//! one statement, so that the limit applies to all processes together.
//!
//! Module `sessions` (the feature of the same name): saved sessions of agents. Whoever resumes one
//! holds a lease on it, and no other process can write it meanwhile.
//!
//! State of a single machine (files, SQLite) is not here.

#[cfg(feature = "approvals")]
pub mod approvals;

#[cfg(feature = "audit")]
pub mod audit;

#[cfg(feature = "quota")]
pub mod quota;

#[cfg(feature = "sessions")]
pub mod sessions;

#[cfg(any(feature = "audit", feature = "sessions"))]
mod host;
mod reach;
#[cfg(any(feature = "approvals", feature = "audit", feature = "quota", feature = "sessions"))]
mod shared;

#[cfg(any(feature = "audit", feature = "sessions"))]
use host::host;
pub use reach::reach;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
