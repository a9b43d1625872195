//! The decision of a gate about a call and its reason: for the layer, for `explain`, and for the
//! question to a person.

use std::fmt;

use tools_core::{Script, Subject, TrustLevel, Verdict, quoted};

/// A decision, with everything that went into it.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision<'a> {
    /// The strictest of all verdicts.
    pub verdict: Verdict,
    /// The first reason with this verdict.
    pub decided_by: DecisionReason<'a>,
    /// The verdict on each subject, in the order of the inspection.
    pub parts: Vec<Part<'a>>,
    /// Whether rules or people allow the command, or each command of the line, without a wildcard.
    /// This also answers the tool's own wish for a person.
    pub is_named: bool,
}

/// The verdict on one subject.
#[derive(Debug, Clone, PartialEq)]
pub struct Part<'a> {
    /// The judged subject.
    pub subject: &'a Subject,
    /// The decision.
    pub verdict: Verdict,
    /// Why.
    pub because: DecisionReason<'a>,
}

/// Reason of a decision. `Display` names it as a person finds it in the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the sentence of a variant says what its only fields are")]
pub enum DecisionReason<'a> {
    /// A rule matched.
    Rule(RuleRef<'a>),
    /// A person allowed it for the rest of the session.
    Session {
        /// The pattern that was stored.
        pattern: String,
    },
    /// A person allowed it for longer than a session.
    Approved {
        /// The pattern that was stored.
        pattern: String,
    },
    /// A person rejected it permanently.
    Rejected {
        /// The pattern that was stored.
        pattern: String,
    },
    /// A person allowed it, but files of code that it runs have changed since.
    Changed {
        /// The pattern that was stored.
        pattern: String,
        /// The files.
        scripts: Vec<OtherScript>,
    },
    /// The tool has rules, and none matched.
    NoRule { tool: &'a str },
    /// The tool has no rules, so its traits decide.
    Traits,
    /// The subject belongs to commands that are judged themselves.
    Commands,
    /// A line would write a file that no rule covers.
    Written { tool: &'a str },
    /// A file outside the working directory would be changed.
    Outside,
    /// Programs outside of any sandbox would obey a file that would be changed, and no rule names
    /// it.
    Obeyed { by: &'static str },
    /// A port is published that no setting lists.
    Port,
    /// The call could not be analysed.
    Opaque,
    /// The tool itself asks for a person.
    Confirm { rule: &'a str },
    /// The origin of the call is not trusted enough.
    Trust(TrustLevel),
}

/// A file of code that changed since it was approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherScript {
    /// The approved file; `None` if the file was not among the approved ones.
    pub was: Option<Script>,
    /// The present file.
    pub is: Script,
}

/// A rule by its position in the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleRef<'a> {
    /// The tool whose list has the rule.
    pub tool: &'a str,
    /// Its index in the list, from 0.
    pub index: usize,
    /// Its pattern, as typed.
    pub pattern: &'a str,
    /// True for a built-in default rule.
    pub is_default: bool,
}

impl DecisionReason<'_> {
    /// Whether a person is asked even if a rule or an earlier answer allows the call.
    pub(crate) fn asks_always(&self) -> bool {
        matches!(self, Self::Opaque | Self::Port)
    }

    /// The audit's `approved_by` when this lets a call run.
    pub(crate) fn approved_by(&self) -> &'static str {
        match self {
            Self::Rule(_) | Self::Session { .. } | Self::Approved { .. } => "rule",
            _ => "default",
        }
    }
}

impl fmt::Display for RuleRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let origin = if self.is_default { "defaults" } else { "permissions" };
        write!(f, "{origin}.{}[{}] \"{}\"", self.tool, self.index, self.pattern)
    }
}

impl fmt::Display for DecisionReason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule(rule) => rule.fmt(f),
            Self::Session { pattern } => write!(f, "session \"{pattern}\""),
            Self::Approved { pattern } => write!(f, "approved \"{pattern}\""),
            Self::Rejected { pattern } => write!(f, "rejected \"{pattern}\""),
            Self::Changed { pattern, scripts } => {
                let names = quoted(scripts.iter().map(|script| script.is.path.display()));
                let are = if scripts.len() == 1 { "is" } else { "are" };
                write!(f, "{names} {are} not as agreed to with \"{pattern}\"")
            }
            Self::NoRule { tool } => write!(f, "no rule of permissions.{tool} matches"),
            Self::Traits => f.write_str("default of the tool"),
            Self::Commands => f.write_str("covered by the rules for its parts"),
            Self::Written { tool } => write!(f, "no rule of permissions.{tool} covers writing this file"),
            Self::Outside => f.write_str("changes a file outside the working directory"),
            Self::Obeyed { by } => write!(f, "is obeyed by {by}, and no rule names it"),
            Self::Port => f.write_str("not listed in tools.shell.publish"),
            Self::Opaque => f.write_str("cannot be seen through"),
            Self::Confirm { rule } => f.write_str(rule),
            Self::Trust(TrustLevel::Untrusted) => f.write_str("trust: untrusted"),
            Self::Trust(TrustLevel::Provisional) => f.write_str("trust: provisional"),
            Self::Trust(TrustLevel::Trusted) => f.write_str("trust: trusted"),
        }
    }
}
