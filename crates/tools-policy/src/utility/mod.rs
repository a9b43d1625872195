//! Utility: skips a call that is not worth making.
//!
//! `score = gain − cost·λ − redundancy·ρ + exploration·ε`, each between 0 and 1. Gain: what sort of
//! tool it is and how new are the subjects. Cost: the tokens that the last outputs of the same tool
//! and program had. Redundancy: how much the last outputs about the same subjects repeated each
//! other. Exploration: high for tools that were hardly used.
//!
//! Never skipped: calls that the user explicitly asked for, calls that may change something, and
//! the tools that the operator names. A score that is not a number counts as too low.

mod config;
mod decide;
mod history;

mod gate;

pub use config::{UtilityConfig, UtilityPolicy, UtilityWeights};
pub use decide::{Score, UtilityDecision, UtilityQuestion, decide};
pub use gate::UtilityGate;
pub use history::{CallStatistics, History};
