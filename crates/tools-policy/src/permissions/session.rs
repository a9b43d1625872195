//! What a person allowed for the rest of a session: answers questions, lifts no denial.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use tools_core::{Access, SessionId, StoredRule, Subject, Verdict};

use super::{
    config::{RuleError, check_length},
    list::{write_glob, written},
};
use crate::matching::{Crossing, Forms, PathForms, Patterns, command_glob, literal, path_glob};

/// How many rules a session can collect: each was shown to a person, so more is a fault of the host.
const MOST: usize = 1000;

/// The rules of all sessions. They live as long as this value.
#[derive(Debug, Default)]
pub struct SessionRules(Mutex<HashMap<SessionId, Arc<SessionView>>>);

/// The rules of one session as they were at one moment.
#[derive(Debug, Clone, Default)]
pub struct SessionView {
    rules: Vec<Arc<SessionRule>>,
}

#[derive(Debug)]
struct SessionRule {
    stored: StoredRule,
    text: Patterns,
    path: Patterns,
    /// Whether it is about writing alone.
    is_write: bool,
    is_literal: bool,
}

impl SessionRules {
    /// Adds a rule for the rest of a session.
    ///
    /// # Errors
    /// When the pattern is no valid glob, or the session has more rules than a person can have agreed to.
    pub fn add(&self, session: &SessionId, rule: StoredRule) -> Result<(), RuleError> {
        let rule = Arc::new(SessionRule::compile(rule)?);
        let mut sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let view = Arc::make_mut(sessions.entry(session.clone()).or_default());
        if view.rules.len() >= MOST {
            return Err(failed(&rule.stored, format!("a session has at most {MOST} rules of its own")));
        }
        if !view.rules.iter().any(|other| other.stored == rule.stored) {
            view.rules.push(rule);
        }
        Ok(())
    }

    /// The rules of a session.
    pub fn of(&self, session: &SessionId) -> Arc<SessionView> {
        let sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.get(session).cloned().unwrap_or_default()
    }

    /// Forgets a session.
    pub fn end(&self, session: &SessionId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(session);
    }
}

impl SessionView {
    /// The rules, oldest first.
    pub fn rules(&self) -> impl Iterator<Item = &StoredRule> {
        self.rules.iter().map(|rule| &rule.stored)
    }

    /// The pattern that allows a subject.
    pub(super) fn allows(&self, tool: &str, subject: &Subject, workdir: &Path) -> Option<String> {
        let mut rules = self.rules.iter().filter(|rule| rule.stored.tool.as_str() == tool);
        rules.find(|rule| rule.matches(subject, workdir)).map(|rule| rule.stored.pattern.clone())
    }

    /// The pattern that allows a call without subjects.
    pub(super) fn allows_nothing_particular(&self, tool: &str) -> Option<String> {
        let mut rules = self.rules();
        rules
            .find(|rule| rule.tool.as_str() == tool && matches!(rule.pattern.as_str(), "*" | "**"))
            .map(|rule| rule.pattern.clone())
    }
}

impl SessionRule {
    fn compile(stored: StoredRule) -> Result<Self, RuleError> {
        check_length(&stored.pattern).map_err(|problem| failed(&stored, problem))?;
        let compile = |glob: String, crossing| {
            Patterns::compile(&[(0, glob)], crossing).map_err(|error| failed(&stored, error.kind().to_string()))
        };
        if let Some(written) = written(&stored.pattern) {
            check_length(written).map_err(|problem| failed(&stored, problem))?;
            let path = compile(write_glob(written, Verdict::Allow, None), Crossing::Folders)?;
            return Ok(Self { text: Patterns::default(), path, is_write: true, is_literal: false, stored });
        }
        Ok(Self {
            is_write: false,
            text: compile(command_glob(&stored.pattern), Crossing::Everything)?,
            path: compile(path_glob(&stored.pattern, Verdict::Allow, None), Crossing::Folders)?,
            is_literal: literal(&stored.pattern).is_some(),
            stored,
        })
    }

    fn matches(&self, subject: &Subject, workdir: &Path) -> bool {
        match subject {
            // The whole line of several commands: only word for word.
            Subject::Command { line, program, .. } => {
                (self.is_literal || !program.is_empty()) && Forms::of_text(line).matches(&self.text)
            }
            Subject::Path { access: Access::Read, .. } if self.is_write => false,
            Subject::Path { path, .. } => PathForms::new(path, workdir).matches(&self.path),
            Subject::Url { url } => Forms::of_text(url.as_str()).matches(&self.text),
            Subject::Opaque { .. } => false,
        }
    }
}

fn failed(rule: &StoredRule, problem: String) -> RuleError {
    RuleError { path: format!("session.{}", rule.tool), problem }
}
