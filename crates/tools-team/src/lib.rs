//! State that several machines share, in a PostgreSQL database, behind the traits of the crates
//! whose state it is. Each store names its own database and brings it to its schema; nothing is
//! connected to until it is used.
//!
//! Module `audit` (the feature of the same name): the record of calls. Each process writes a chain
//! of its own and notes the heads of the others, so that a chain that was cut after its process
//! ended is noticed.
//!
//! Module `quota` (the feature of the same name): the accounts of callers. Each call is counted in
//! one statement, so that the limit holds for all processes together.
//!
//! What is kept on one machine (files, SQLite) is not here.

#[cfg(feature = "audit")]
pub mod audit;

#[cfg(feature = "quota")]
pub mod quota;
