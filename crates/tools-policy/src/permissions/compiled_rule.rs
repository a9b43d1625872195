//! A rule that answers questions: a pattern that a person approved, with the approved files of
//! code.

use std::path::Path;

use tools_core::{Access, Inspection, KeyFault, StoredRule, Subject, Verdict};

use super::config::check_length;
use super::list::{write_glob, written};
use super::scripts::{others, run_by};
use crate::matching::{AddressPattern, Forms, PathForms, Patterns, SeparatorRule, command_glob, is_literal, path_glob};

/// A call that rules are compared with.
#[derive(Debug, Clone, Copy)]
pub(super) struct JudgedCall<'a> {
    pub(super) tool: &'a str,
    pub(super) inspection: &'a Inspection,
    pub(super) workdir: &'a Path,
}

/// A rule that answers questions.
#[derive(Debug)]
pub(super) struct CompiledRule {
    pub(super) stored: StoredRule,
    text: Patterns,
    path: Patterns,
    /// True for a rule that matches only writes.
    is_write: bool,
    pub(super) is_literal: bool,
}

impl CompiledRule {
    pub(super) fn compile(stored: StoredRule) -> Result<Self, KeyFault> {
        check_length(&stored.pattern).map_err(|problem| failed(&stored, problem))?;
        let compile = |glob: String, crossing| {
            Patterns::compile(&[(0, glob)], crossing).map_err(|error| failed(&stored, error.kind().to_string()))
        };
        if let Some(written) = written(&stored.pattern) {
            check_length(written).map_err(|problem| failed(&stored, problem))?;
            let path = compile(write_glob(written, Verdict::Allow, None), SeparatorRule::Folders)?;
            return Ok(Self { text: Patterns::default(), path, is_write: true, is_literal: false, stored });
        }
        Ok(Self {
            text: compile(command_glob(&stored.pattern), SeparatorRule::Everything)?,
            path: compile(path_glob(&stored.pattern, Verdict::Allow, None), SeparatorRule::Folders)?,
            is_write: false,
            is_literal: is_literal(&stored.pattern),
            stored,
        })
    }

    pub(super) fn is_everything(&self) -> bool {
        matches!(self.stored.pattern.as_str(), "*" | "**")
    }

    /// Whether the rule allows a subject, and the files of code that the subject runs are the
    /// approved ones.
    pub(super) fn allows(&self, call: JudgedCall<'_>, subject: &Subject) -> bool {
        self.matches(subject, call.workdir)
            && others(self.stored.scripts.as_deref(), run_by(call.inspection, subject)).next().is_none()
    }

    pub(super) fn matches(&self, subject: &Subject, workdir: &Path) -> bool {
        match subject {
            // A whole line of several commands has to match literally.
            Subject::Command { line, program, .. } => {
                (self.is_literal || !program.is_empty()) && Forms::of_text(line).matches(&self.text)
            }
            Subject::Path { access: Access::Read, .. } if self.is_write => false,
            Subject::Path { path, .. } => PathForms::new(path, workdir).matches(&self.path),
            Subject::Host { host, .. } => Forms::of_text(host).matches(&self.text),
            Subject::Url { url } => AddressPattern::parse(&self.stored.pattern, Verdict::Allow).matches(url),
            Subject::Paths { .. } | Subject::Script { .. } | Subject::Port { .. } | Subject::Opaque { .. } => false,
        }
    }
}

pub(super) fn failed(rule: &StoredRule, problem: String) -> KeyFault {
    KeyFault::new(format!("session.{}", rule.tool), problem)
}
