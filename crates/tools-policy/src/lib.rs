//! Gates: layers that judge a call before it runs.
//!
//! Each gate is a module of three parts: `config` (the configuration as typed), `decide` (a pure
//! function) and `gate` (both as one value that a host lists). The modules are listed in the order
//! in which the gates are asked.

mod decision;
mod explain;
mod hosted;
mod matching;
mod names;

pub mod gate;

pub mod caller_quota;
pub mod quota;
pub mod utility;

pub mod adversarial;
pub mod rules;
pub mod trust;

pub mod placement;

pub mod permissions;
#[cfg(feature = "proposal")]
pub mod proposal;

pub mod anomaly;

pub mod grounding;

mod gates;

pub use decision::{Decision, DecisionReason, OtherScript, Part, RuleRef};
pub use explain::Explanation;
pub use gates::{GATES, GateRow, GateSections, GateSettings, GateState, Gates};
pub use hosted::{HostedCalls, HostedVerdict};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
