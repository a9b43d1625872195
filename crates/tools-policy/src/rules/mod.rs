//! Policy rules: what no call may do, whatever the permissions say.
//!
//! # Which rule counts
//! `[tools.policy]` and `[tools.authorization]` are two lists. In each the first rule that matches
//! a call decides, and a denial by either list stands: nothing further in lifts it. A rule that
//! allows ends its own list and no more: the permissions still judge the call. A call that no rule
//! matches goes on.
//!
//! # What a rule matches
//! All that it names: the tool (a glob), the parameters (`args_match`, a regular expression), the
//! paths (globs on canonical paths, as in the permissions) and what the call needs
//! (`capabilities`). A denial matches when one text, one path, one capability does; an allowance
//! only when all do, so that nothing rides along with what is allowed.
//!
//! The texts are every string, number and name in the parameters, however deep, and for denials
//! also the words that a shell makes of each command.

mod closes;
mod config;
mod decide;
mod lint;

mod gate;

pub use config::{AuthorizationConfig, PolicyConfig, PolicyEffect, PolicyEnforcer, PolicyRuleConfig};
pub use decide::{PolicyDecision, PolicyQuestion, decide};
pub use gate::PolicyGate;
pub use lint::lint;
