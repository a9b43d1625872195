//! Gates: layers that judge a call before it runs.
//!
//! Each gate is a module of three parts: `config` (what was typed), `decide` (a pure function) and `layer` (asks the
//! function, notes, refuses or goes on). They stand here in the order in which they are asked.

mod decision;
mod matching;

pub mod quota;
pub mod utility;

pub mod adversarial;
pub mod rules;
pub mod trust;

pub mod permissions;

pub mod anomaly;

pub mod grounding;

pub use decision::{Because, Decision, Part, RuleRef};
