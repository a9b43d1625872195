//! Quota: limits the number of calls in a session.
//!
//! Only first attempts are counted: a call that a person approved after a question is not counted
//! again, nor are retries, which happen in inner layers. A batch is reserved as a whole, or refused
//! as a whole.

mod config;
mod decide;
mod ledger;

mod gate;

pub use config::QuotaPolicy;
pub use gate::QuotaGate;
pub use ledger::Ledger;
