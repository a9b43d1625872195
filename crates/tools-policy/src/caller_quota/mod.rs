//! Quota of callers: limits the calls of a caller in a window of time, over all its sessions and,
//! if the accounts are kept in a database, over all processes.
//!
//! As in the quota of sessions, only first attempts are counted: a call that a person approved
//! after a question is not counted again.

mod accounts;
mod config;

mod gate;

pub use accounts::{AccountsError, CallerAccounts, ChargeResult, MemoryAccounts};
pub use config::{CallerLimit, CallerQuotaConfig, CallerQuotaPolicy, OnUnavailable};
pub use gate::CallerQuotaGate;
