//! Gates: layers that judge a call before it runs.
//!
//! Each gate is a module of three parts: `config` (what was typed), `decide` (a pure function) and `layer` (asks the
//! function, notes, refuses or goes on).

mod decision;
pub mod permissions;

pub use decision::{Because, Decision, Part, RuleRef};
