//! Policy rules: forbid calls regardless of the permissions.
//!
//! # Which rule counts
//! `[tools.policy]` and `[tools.authorization]` are two lists. In each, the first rule that matches
//! a call decides. A denial by either list is final: no inner gate lifts it. A rule that allows
//! ends only its own list: the permissions still judge the call. A call that no rule matches goes
//! on.
//!
//! # What a rule matches
//! A rule has conditions on the tool (a glob), the parameters (`args_match`, a regular expression),
//! the paths (globs on canonical paths, as in the permissions) and the needs of the call
//! (`capabilities`). All of its conditions have to match. A denial matches if one text, one path or
//! one capability does; an allowance only if all do, so that nothing else passes along with an
//! allowed part.
//!
//! The texts are every string, number and name in the parameters, at any depth, and for denials
//! also the words that a shell makes of each command.

mod closed_paths;
mod config;
mod decide;
mod lint;

mod gate;

pub use config::{AuthorizationConfig, PolicyConfig, PolicyEffect, PolicyEnforcer, PolicyRuleConfig};
pub use decide::{PolicyDecision, PolicyQuestion, decide};
pub use gate::PolicyGate;
pub use lint::lint;
