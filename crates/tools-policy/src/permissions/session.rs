//! What people allowed, for the rest of a session and beyond it: answers questions, lifts no
//! denial. What they rejected for good denies.

use std::{
    collections::HashMap,
    fmt,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use jiff::Timestamp;
use tools_core::{Clock, FileDiff, SessionId, Shared, StoredRule, Subject, SystemClock};

use super::{
    compiled_rule::{CompiledRule, JudgedCall, failed},
    config::RuleError,
    list::RuleList,
    scripts::{others, run_by},
    stored::{StoredApproval, StoredRules},
};
use crate::{Because, OtherScript};

/// How many rules a session can collect: each was shown to a person, so more is a fault of the
/// host.
const MAX_RULES: usize = 1000;

/// Reads approvals anew where they are kept; `None` when nothing changed since.
pub type ApprovalSource = Box<dyn Fn() -> Option<StoredRules> + Send + Sync>;

/// Shows how a file of code differs from what was agreed to.
pub type Difference = Box<dyn Fn(&OtherScript) -> FileDiff + Send + Sync>;

/// The rules of all sessions, which live as long as this value, and the approvals that outlive it.
pub struct SessionRules {
    sessions: Mutex<HashMap<SessionId, Arc<SessionView>>>,
    stored: Shared<StoredRules>,
    source: Option<ApprovalSource>,
    difference: Option<Difference>,
    clock: Arc<dyn Clock>,
}

/// The rules of one session as they were at one moment.
#[derive(Debug, Clone, Default)]
pub struct SessionView {
    rules: Vec<Arc<CompiledRule>>,
    /// Approvals beyond the session, and the time that they are judged by.
    stored: Option<(Arc<StoredRules>, Timestamp)>,
}

impl Default for SessionRules {
    fn default() -> Self {
        Self {
            sessions: Mutex::default(),
            stored: Shared::new(StoredRules::default()),
            source: None,
            difference: None,
            clock: Arc::new(SystemClock),
        }
    }
}

impl SessionRules {
    /// Rules beside approvals that are kept elsewhere.
    pub fn with_source(source: ApprovalSource, clock: Arc<dyn Clock>) -> Self {
        let stored = Shared::new(source().unwrap_or_default());
        Self { stored, source: Some(source), clock, ..Self::default() }
    }

    /// The same rules, where a person is shown how files of code changed.
    #[must_use]
    pub fn showing(self, difference: Difference) -> Self {
        Self { difference: Some(difference), ..self }
    }

    /// How files of code differ from what was agreed to; `None` where nobody can show it.
    pub(super) fn differences(&self, scripts: &[OtherScript]) -> Option<Vec<FileDiff>> {
        let difference = self.difference.as_ref()?;
        Some(scripts.iter().map(difference).collect())
    }

    /// Looks whether the approvals changed; whether they did.
    pub fn refresh(&self) -> bool {
        let renewed = self.source.as_ref().and_then(|source| source());
        renewed.is_some_and(|renewed| {
            self.stored.store(renewed);
            true
        })
    }

    /// The approvals and rejections that stand beyond sessions.
    pub fn approvals(&self) -> Vec<StoredApproval> {
        self.stored().approvals().cloned().collect()
    }

    pub(super) fn stored(&self) -> Arc<StoredRules> {
        self.stored.load()
    }

    /// Adds a rule for the rest of a session.
    ///
    /// # Errors
    /// When the pattern is no valid glob, or the session has more rules than a person can have
    /// agreed to.
    pub fn add(&self, session: &SessionId, rule: StoredRule) -> Result<(), RuleError> {
        let rule = Arc::new(CompiledRule::compile(rule)?);
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let view = Arc::make_mut(sessions.entry(session.clone()).or_default());
        if view.rules.len() >= MAX_RULES {
            return Err(failed(&rule.stored, format!("a session has at most {MAX_RULES} rules of its own")));
        }
        // The same rule again is about files of code as they are now.
        let is_same = |other: &StoredRule| (&other.tool, &other.pattern) == (&rule.stored.tool, &rule.stored.pattern);
        view.rules.retain(|other| !is_same(&other.stored));
        view.rules.push(rule);
        Ok(())
    }

    /// The rules of a session.
    pub fn of(&self, session: &SessionId) -> Arc<SessionView> {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let view = sessions.get(session).cloned().unwrap_or_default();
        drop(sessions);
        let stored = self.stored.load();
        if stored.is_empty() {
            return view;
        }
        let stored = Some((stored, self.clock.now()));
        Arc::new(SessionView { rules: view.rules.clone(), stored })
    }

    /// Forgets a session.
    pub fn end(&self, session: &SessionId) {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).remove(session);
    }
}

impl SessionView {
    /// The rules of the session itself, oldest first.
    pub fn rules(&self) -> impl Iterator<Item = &StoredRule> {
        self.rules.iter().map(|rule| &rule.stored)
    }

    /// Every rule that counts for a call, and what it is when it decides.
    fn standing<'a>(&'a self, call: JudgedCall<'a>) -> impl Iterator<Item = (&'a CompiledRule, bool)> {
        let own = self.rules.iter().filter(move |rule| rule.stored.tool.as_str() == call.tool);
        let stored = self.stored.iter().flat_map(move |(stored, now)| stored.standing(call.tool, call.workdir, *now));
        own.map(|rule| (rule.as_ref(), true)).chain(stored.map(|(_, rule)| (rule, false)))
    }

    /// What allows a subject.
    pub(super) fn allows(&self, call: JudgedCall<'_>, subject: &Subject) -> Option<Because<'static>> {
        let (rule, is_of_session) = self.standing(call).find(|(rule, _)| rule.allows(call, subject))?;
        let pattern = rule.stored.pattern.clone();
        Some(if is_of_session { Because::Session { pattern } } else { Because::Approved { pattern } })
    }

    /// What would allow a subject if the files of code that it runs were as they were then.
    pub(super) fn allowed_before(&self, call: JudgedCall<'_>, subject: &Subject) -> Option<Because<'static>> {
        let mut scripts = run_by(call.inspection, subject).peekable();
        scripts.peek()?;
        let (rule, _) = self.standing(call).find(|(rule, _)| rule.matches(subject, call.workdir))?;
        let scripts = others(rule.stored.scripts.as_deref(), scripts).collect();
        Some(Because::Changed { pattern: rule.stored.pattern.clone(), scripts })
    }

    /// Whether a person allowed just this, without a wildcard.
    pub(super) fn names(&self, call: JudgedCall<'_>, subject: &Subject) -> bool {
        self.standing(call).any(|(rule, _)| rule.is_literal && rule.allows(call, subject))
    }

    /// The rejections that count for a call, with their patterns.
    pub(super) fn rejections<'a>(
        &'a self,
        tool: &'a str,
        workdir: &'a Path,
    ) -> impl Iterator<Item = (&'a str, &'a RuleList)> {
        let stored = self.stored.iter().flat_map(move |(stored, now)| stored.rejections(tool, workdir, *now));
        stored.map(|(rejected, list)| (rejected.pattern.as_str(), list))
    }

    /// What allows a call without subjects.
    pub(super) fn allows_nothing_particular(&self, tool: &str, workdir: &Path) -> Option<Because<'static>> {
        let mut rules = self.rules.iter().filter(|rule| rule.stored.tool.as_str() == tool);
        if let Some(rule) = rules.find(|rule| rule.is_everything()) {
            return Some(Because::Session { pattern: rule.stored.pattern.clone() });
        }
        let (stored, now) = self.stored.as_ref()?;
        stored.allows_nothing_particular(tool, workdir, *now).map(|pattern| Because::Approved { pattern })
    }
}

impl fmt::Debug for SessionRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionRules").field("stored", &self.stored).finish_non_exhaustive()
    }
}
