//! Anomaly: a tool that keeps failing is blocked for a while, and unblocked by one call that works.
//!
//! The last results of each tool are counted. A failure is a fault of the tool or of what it
//! depends on. Refusals, a person's no, cancelled calls and invalid calls are not counted, so that
//! no model can get a tool blocked.

mod config;
mod decide;
mod health;

mod gate;

pub use config::{AnomalyConfig, AnomalyPolicy};
pub use decide::Severity;
pub use gate::AnomalyGate;
pub use health::{Admission, Probe, ToolHealth};
