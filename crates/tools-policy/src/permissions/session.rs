//! Rules that people approved, for the rest of a session and beyond it. They answer questions and
//! lift no denial. Permanent rejections deny.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use jiff::{SignedDuration, Timestamp};
use tools_core::{
    CallerId, Clock, FileDiff, KeyFault, Locked as _, SessionId, Shared, StoredRule, Subject, SystemClock,
};

use super::compiled_rule::{CompiledRule, JudgedCall, failed};
use super::list::RuleList;
use super::scripts::{others, run_by};
use super::store::{ApprovalSnapshot, ApprovalStore, ApprovalsError, OnUnreadable};
use super::stored::{Audience, StoredApproval, StoredRules};
use crate::{DecisionReason, OtherScript};

/// Maximum number of rules in a session. Each was shown to a person, so more is a fault of the
/// host.
const MAX_RULES: usize = 1000;

/// Shows how a file of code differs from the approved one.
pub type Difference = Box<dyn Fn(&OtherScript) -> FileDiff + Send + Sync>;

/// The rules of all sessions, kept in memory, and the stored approvals.
pub struct SessionRules {
    sessions: Mutex<HashMap<SessionId, Arc<SessionView>>>,
    stored: Shared<StoredRules>,
    store: Option<Arc<dyn ApprovalStore>>,
    last_look: Mutex<LastRead>,
    /// The guest whose calls these rules apply to; `None` for calls of anybody who is not a guest.
    caller: Option<CallerId>,
    difference: Option<Difference>,
    clock: Arc<dyn Clock>,
}

/// Time and result of the last read of the store.
#[derive(Debug, Default)]
struct LastRead {
    at: Option<Timestamp>,
    /// The number of the snapshot in use.
    number: u64,
    is_failing: bool,
}

/// The rules of one session at one moment.
#[derive(Debug, Clone, Default)]
pub struct SessionView {
    rules: Vec<Arc<CompiledRule>>,
    /// The approvals and rejections beyond the session.
    stored: Option<StoredView>,
}

/// Approvals and rejections beyond sessions, for one caller at one moment.
#[derive(Debug, Clone)]
struct StoredView {
    rules: Arc<StoredRules>,
    caller: Option<CallerId>,
    now: Timestamp,
    /// False while it is unknown whether approvals were revoked.
    has_approvals: bool,
}

impl StoredView {
    fn audience<'a>(&'a self, workdir: &'a Path) -> Audience<'a> {
        Audience { workdir, caller: self.caller.as_ref(), now: self.now }
    }

    fn approvals<'a>(
        &'a self,
        tool: &'a str,
        workdir: &'a Path,
    ) -> impl Iterator<Item = (&'a StoredApproval, &'a CompiledRule)> {
        self.rules.applicable(tool, self.audience(workdir)).filter(|_| self.has_approvals)
    }
}

impl Default for SessionRules {
    fn default() -> Self {
        Self {
            sessions: Mutex::default(),
            stored: Shared::new(StoredRules::default()),
            store: None,
            last_look: Mutex::default(),
            caller: None,
            difference: None,
            clock: Arc::new(SystemClock),
        }
    }
}

impl SessionRules {
    /// Creates rules over a store; `first` is the snapshot known so far.
    pub fn over(store: Arc<dyn ApprovalStore>, first: ApprovalSnapshot, clock: Arc<dyn Clock>) -> Self {
        let last_look = Mutex::new(LastRead { number: first.number, ..LastRead::default() });
        Self { stored: Shared::new(first.rules), store: Some(store), last_look, clock, ..Self::default() }
    }

    /// Limits the rules to calls of one guest: approvals for other guests do not apply, and new
    /// ones are stored for this guest.
    #[must_use]
    pub fn of_caller(self, caller: Option<CallerId>) -> Self {
        Self { caller, ..self }
    }

    /// Shows people how files of code changed.
    #[must_use]
    pub(crate) fn showing(self, difference: Difference) -> Self {
        Self { difference: Some(difference), ..self }
    }

    /// The differences of files of code from the approved ones; `None` if they cannot be shown.
    pub(super) fn differences(&self, scripts: &[OtherScript]) -> Option<Vec<FileDiff>> {
        let difference = self.difference.as_ref()?;
        Some(scripts.iter().map(difference).collect())
    }

    /// Reads the store again.
    ///
    /// # Errors
    /// If it cannot be read; the last snapshot is then used as [`ApprovalStore::on_error`] says.
    pub async fn refresh(&self) -> Result<(), ApprovalsError> {
        match &self.store {
            Some(store) => {
                let read = store.read().await;
                self.take(read)
            }
            None => Ok(()),
        }
    }

    /// Reads the store again if the last read is too old for a call of `tool` from `workdir`.
    pub(super) async fn refresh_for(&self, tool: &str, workdir: &Path) {
        let Some(store) = &self.store else { return };
        let max_age = SignedDuration::try_from(store.max_age()).unwrap_or(SignedDuration::ZERO);
        let is_fresh = self.last_look.locked().at.is_some_and(|at| {
            let age = self.clock.now().duration_since(at);
            !age.is_negative() && age < max_age
        });
        if !is_fresh || self.stored.load().names(tool, workdir) {
            // A failure is remembered and applies to every call.
            let _ = self.refresh().await;
        }
    }

    fn take(&self, read: Result<ApprovalSnapshot, ApprovalsError>) -> Result<(), ApprovalsError> {
        let mut last = self.last_look.locked();
        last.at = Some(self.clock.now());
        match read {
            Ok(ApprovalSnapshot { number, rules }) => {
                last.is_failing = false;
                // With two concurrent reads, the earlier snapshot may arrive later.
                if number > last.number {
                    last.number = number;
                    self.stored.store(rules);
                }
                Ok(())
            }
            Err(error) => {
                if !std::mem::replace(&mut last.is_failing, true) {
                    tracing::warn!(%error, "stored approvals cannot be read");
                }
                Err(error)
            }
        }
    }

    /// Stores an approval, a rejection or a revocation, for the caller of these rules.
    ///
    /// # Errors
    /// If its pattern is not a valid glob, or it cannot be stored.
    pub async fn store(&self, approval: StoredApproval) -> Result<(), ApprovalsError> {
        approval.check().map_err(|error| ApprovalsError(error.into()))?;
        let Some(store) = &self.store else {
            return Err(ApprovalsError("nothing is stored beyond sessions".into()));
        };
        store.add(&approval).await?;
        // It is stored even if it cannot be read back at once.
        let _ = self.refresh().await;
        Ok(())
    }

    /// The guest whose calls these rules apply to; `None` for calls of anybody who is not a guest.
    pub fn caller(&self) -> Option<&CallerId> {
        self.caller.as_ref()
    }

    /// Treatment of an answer that cannot be stored.
    pub fn on_error(&self) -> OnUnreadable {
        self.store.as_ref().map_or(OnUnreadable::Keep, |store| store.on_error())
    }

    /// The stored approvals and rejections of all callers.
    pub fn approvals(&self) -> Vec<StoredApproval> {
        self.stored().approvals().cloned().collect()
    }

    pub(super) fn stored(&self) -> Arc<StoredRules> {
        self.stored.load()
    }

    /// Adds a rule for the rest of a session.
    ///
    /// # Errors
    /// If the pattern is not a valid glob, or the session has more rules than a person can have
    /// approved.
    pub fn add(&self, session: &SessionId, rule: StoredRule) -> Result<(), KeyFault> {
        let rule = Arc::new(CompiledRule::compile(rule)?);
        let mut sessions = self.sessions.locked();
        let view = Arc::make_mut(sessions.entry(session.clone()).or_default());
        if view.rules.len() >= MAX_RULES {
            return Err(failed(&rule.stored, format!("a session has at most {MAX_RULES} rules of its own")));
        }
        // The same rule added again refers to the present files of code.
        let is_same = |other: &StoredRule| (&other.tool, &other.pattern) == (&rule.stored.tool, &rule.stored.pattern);
        view.rules.retain(|other| !is_same(&other.stored));
        view.rules.push(rule);
        Ok(())
    }

    /// The rules of a session.
    pub fn of(&self, session: &SessionId) -> Arc<SessionView> {
        let sessions = self.sessions.locked();
        let view = sessions.get(session).cloned().unwrap_or_default();
        drop(sessions);
        let stored = self.stored.load();
        if stored.is_empty() {
            return view;
        }
        let has_approvals = !self.last_look.locked().is_failing || self.on_error() == OnUnreadable::Keep;
        let stored = StoredView { rules: stored, caller: self.caller.clone(), now: self.clock.now(), has_approvals };
        Arc::new(SessionView { rules: view.rules.clone(), stored: Some(stored) })
    }

    /// Forgets a session.
    pub fn end(&self, session: &SessionId) {
        self.sessions.locked().remove(session);
    }
}

impl SessionView {
    /// The rules of the session itself, oldest first.
    pub fn rules(&self) -> impl Iterator<Item = &StoredRule> {
        self.rules.iter().map(|rule| &rule.stored)
    }

    /// Every rule that applies to a call, and whether it is a rule of the session.
    fn applicable<'a>(&'a self, call: JudgedCall<'a>) -> impl Iterator<Item = (&'a CompiledRule, bool)> {
        let own = self.rules.iter().filter(move |rule| rule.stored.tool.as_str() == call.tool);
        let stored = self.stored.iter().flat_map(move |stored| stored.approvals(call.tool, call.workdir));
        own.map(|rule| (rule.as_ref(), true)).chain(stored.map(|(_, rule)| (rule, false)))
    }

    pub(super) fn allows(&self, call: JudgedCall<'_>, subject: &Subject) -> Option<DecisionReason<'static>> {
        let (rule, is_of_session) = self.applicable(call).find(|(rule, _)| rule.allows(call, subject))?;
        let pattern = rule.stored.pattern.clone();
        Some(if is_of_session { DecisionReason::Session { pattern } } else { DecisionReason::Approved { pattern } })
    }

    /// The approval that would allow a subject if the files of code that it runs had not changed.
    pub(super) fn allowed_before(&self, call: JudgedCall<'_>, subject: &Subject) -> Option<DecisionReason<'static>> {
        let mut scripts = run_by(call.inspection, subject).peekable();
        scripts.peek()?;
        let (rule, _) = self.applicable(call).find(|(rule, _)| rule.matches(subject, call.workdir))?;
        let scripts = others(rule.stored.scripts.as_deref(), scripts).collect();
        Some(DecisionReason::Changed { pattern: rule.stored.pattern.clone(), scripts })
    }

    /// Whether a person allowed exactly this subject, without a wildcard.
    pub(super) fn names(&self, call: JudgedCall<'_>, subject: &Subject) -> bool {
        self.applicable(call).any(|(rule, _)| rule.is_literal && rule.allows(call, subject))
    }

    /// The rejections that apply to a call, with their patterns.
    pub(super) fn rejections<'a>(
        &'a self,
        tool: &'a str,
        workdir: &'a Path,
    ) -> impl Iterator<Item = (&'a str, &'a RuleList)> {
        let stored = self.stored.iter().flat_map(move |view| view.rules.rejections(tool, view.audience(workdir)));
        stored.map(|(rejected, list)| (rejected.pattern.as_str(), list))
    }

    /// The approval that allows a call without subjects.
    pub(super) fn allows_nothing_particular(&self, tool: &str, workdir: &Path) -> Option<DecisionReason<'static>> {
        let mut rules = self.rules.iter().filter(|rule| rule.stored.tool.as_str() == tool);
        if let Some(rule) = rules.find(|rule| rule.is_everything()) {
            return Some(DecisionReason::Session { pattern: rule.stored.pattern.clone() });
        }
        let mut approvals = self.stored.as_ref()?.approvals(tool, workdir);
        let (approved, _) = approvals.find(|(_, rule)| rule.is_everything())?;
        Some(DecisionReason::Approved { pattern: approved.pattern.clone() })
    }
}

tools_core::partial_debug!(SessionRules { stored });
