//! Consent: one person's yes to one call, and what is known of a no.

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
    /// The files of code that the person was asked about; `None` where nobody was asked about the
    /// call itself.
    scripts: Option<ScriptStates>,
}

impl Approval {
    /// Records that `by` agreed to `call`.
    pub fn grant(call: &ToolCall, by: CallerId, clock: &dyn Clock) -> Self {
        Self { digest: call.digest(), by, at: clock.now(), waited: Duration::ZERO, scripts: None }
    }

    /// The same consent, given after the question had stood for `waited`.
    pub fn after(self, waited: Duration) -> Self {
        Self { waited, ..self }
    }

    /// The same consent to a call that runs just these files of code.
    pub(super) fn for_scripts(self, scripts: Option<ScriptStates>) -> Self {
        Self { scripts, ..self }
    }

    /// The first file of code that is not as it was when the person was asked.
    pub(crate) fn other_script(&self, now: &ScriptStates) -> Option<PathBuf> {
        let asked = self.scripts.as_ref()?;
        let other = now.iter().find(|state| !asked.contains(state));
        let gone = || asked.iter().find(|state| !now.contains(state));
        other.or_else(gone).map(|(path, _)| path.clone())
    }

    /// The consent that lies in a rule which names the call.
    pub(crate) fn by_rule(call: &ToolCall) -> Self {
        let by = CallerId::parse("rule").expect("the constant is an identifier");
        Self::grant(call, by, &SystemClock)
    }

    /// The same consent for a call whose parameters a layer below the gates completed.
    pub(crate) fn rebound(&self, call: &ToolCall) -> Self {
        let (by, scripts) = (self.by.clone(), self.scripts.clone());
        Self { digest: call.digest(), by, at: self.at, waited: self.waited, scripts }
    }

    /// Whether this consent was given to a call of the same tool with the same parameters.
    pub fn covers(&self, call: &ToolCall) -> bool {
        self.digest == call.digest()
    }

    /// Refuses a call that this consent was not given to.
    ///
    /// # Errors
    /// `PolicyBlocked/approval_mismatch`.
    pub fn check(&self, call: &ToolCall) -> Result<(), ToolError> {
        if self.covers(call) { Ok(()) } else { Err(Self::mismatch(call)) }
    }

    /// What a call ends with that is not the one agreed to.
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

    /// Time that the question was open; zero for a consent that was given beforehand.
    pub fn waited(&self) -> Duration {
        self.waited
    }
}

/// One person's no to one call: for the record. It stops nothing, since without an [`Approval`]
/// nothing runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The person who refused.
    pub by: CallerId,
    /// Time that the question was open.
    pub waited: Duration,
    /// Their own words for the model; `None` when they gave none.
    pub why: Option<String>,
}
