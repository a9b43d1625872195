//! State that several machines share, in a PostgreSQL database, behind the traits of the crates
//! whose state it is. Each store names its own database and brings it to its schema; nothing is
//! connected to until it is used.
//!
//! Module `approvals` (the feature of the same name): what people allowed or rejected for longer
//! than a session. A line is added in one transaction; what others added counts for the next call
//! that it is about.
//!
//! Module `audit` (the feature of the same name): the record of calls. Each process writes a chain
//! of its own and notes the heads of the others, so that a chain that was cut after its process
//! ended is noticed.
//!
//! Module `quota` (the feature of the same name): the accounts of callers. Each call is counted in
//! one statement, so that the limit holds for all processes together.
//!
//! Module `sessions` (the feature of the same name): saved sessions of agents. Whoever goes on with
//! one holds a lease of it, and no other process writes it meanwhile.
//!
//! What is kept on one machine (files, SQLite) is not here.

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
