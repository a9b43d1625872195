//! Anomaly: a tool that keeps failing is blocked for a while, and let back by one call that works.
//!
//! Counted are the last results of each tool. A failure is one of the tool or of what it stands on:
//! refusals, a person's no, cancelled calls and calls that are wrong themselves say nothing about
//! the tool and are not counted, so that no model can get one blocked.

mod config;
mod decide;
mod health;

mod gate;

pub use config::{AnomalyConfig, AnomalyPolicy};
pub use decide::Severity;
pub use gate::AnomalyGate;
pub use health::{Admission, Probe, ToolHealth};
