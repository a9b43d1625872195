//! Quota: how many calls a session may make.
//!
//! Counted are first attempts: a call that a person agreed to after being asked is not counted
//! again, and neither are retries, which happen further in. A batch is reserved whole: one that
//! does not fit is refused whole.

mod config;
mod decide;
mod ledger;

mod gate;

pub use config::QuotaPolicy;
pub use gate::QuotaGate;
pub use ledger::Ledger;
