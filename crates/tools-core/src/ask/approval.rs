//! A person's consent to one call, and the data of a refusal.

use std::{path::PathBuf, time::Duration};

use jiff::Timestamp;

use crate::{CallDigest, CallerId, Clock, SystemClock, ToolCall, ToolError, ToolErrorCategory, tools::ScriptStates};

/// One person's consent to one call.
///
/// It covers exactly the call it was granted for, and [`crate::Stack::dispatch_confirmed`] consumes
/// it.
///
/// # Security
/// Not `Clone`, not `Default`, not `Deserialize`: consent can be neither copied to a second call
/// nor read from data.
#[derive(Debug)]
pub struct Approval {
    digest: CallDigest,
    by: CallerId,
    at: Timestamp,
    waited: Duration,
    /// The code files that were part of the question; `None` if nobody was asked about the call
    /// itself.
    scripts: Option<ScriptStates>,
}

impl Approval {
    /// Records that `by` agreed to `call`.
    pub fn grant(call: &ToolCall, by: CallerId, clock: &dyn Clock) -> Self {
        Self { digest: call.digest(), by, at: clock.now(), waited: Duration::ZERO, scripts: None }
    }

    /// Sets how long the question was open.
    pub fn after(self, waited: Duration) -> Self {
        Self { waited, ..self }
    }

    /// Restricts the consent to a call that runs exactly these code files.
    pub(super) fn for_scripts(self, scripts: Option<ScriptStates>) -> Self {
        Self { scripts, ..self }
    }

    /// The first code file that differs from its state when the person was asked.
    pub(crate) fn other_script(&self, now: &ScriptStates) -> Option<PathBuf> {
        let asked = self.scripts.as_ref()?;
        let other = now.iter().find(|state| !asked.contains(state));
        let gone = || asked.iter().find(|state| !now.contains(state));
        other.or_else(gone).map(|(path, _)| path.clone())
    }

    /// Consent by a rule that names the call.
    pub(crate) fn by_rule(call: &ToolCall) -> Self {
        let by = CallerId::parse("rule").expect("the constant is an identifier");
        Self::grant(call, by, &SystemClock)
    }

    /// Binds the consent to a call whose parameters were completed by a layer below the gates.
    pub(crate) fn rebound(&self, call: &ToolCall) -> Self {
        let (by, scripts) = (self.by.clone(), self.scripts.clone());
        Self { digest: call.digest(), by, at: self.at, waited: self.waited, scripts }
    }

    /// Whether this consent was given to a call of the same tool with the same parameters.
    pub fn covers(&self, call: &ToolCall) -> bool {
        self.digest == call.digest()
    }

    /// Refuses a call that this consent does not cover.
    ///
    /// # Errors
    /// `PolicyBlocked/approval_mismatch`.
    pub fn check(&self, call: &ToolCall) -> Result<(), ToolError> {
        if self.covers(call) { Ok(()) } else { Err(Self::mismatch(call)) }
    }

    /// Error of a call that is not the one agreed to.
    pub(crate) fn mismatch(call: &ToolCall) -> ToolError {
        ToolError::new(
            ToolErrorCategory::PolicyBlocked,
            "approval_mismatch",
            format!("the approval was given to another call than this one of `{}`", call.tool),
        )
    }

    /// The person who agreed.
    pub fn by(&self) -> &CallerId {
        &self.by
    }

    /// When they agreed.
    pub fn at(&self) -> Timestamp {
        self.at
    }

    /// Time that the question was open; zero for consent given beforehand.
    pub fn waited(&self) -> Duration {
        self.waited
    }
}

/// One person's refusal of one call, for the record. It blocks nothing itself: without an
/// [`Approval`] nothing runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The person who refused.
    pub by: CallerId,
    /// Time that the question was open.
    pub waited: Duration,
    /// The person's own words for the model; `None` if there were none.
    pub why: Option<String>,
}
