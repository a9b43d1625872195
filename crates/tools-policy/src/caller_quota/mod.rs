//! Quota of callers: how many calls a caller may make in a window of time, over all its sessions
//! and, where the accounts are kept in a database, over all processes.
//!
//! As in the quota of sessions, first attempts are counted: a call that a person agreed to after
//! being asked is not counted again.

mod accounts;
mod config;

mod gate;

pub use accounts::{AccountsError, CallerAccounts, Charged, MemoryAccounts};
pub use config::{CallerLimit, CallerQuotaConfig, CallerQuotaPolicy, OnUnavailable};
pub use gate::CallerQuotaGate;
