//! Consent: one person's yes to one call, and what is known of a no.

use std::time::Duration;

use jiff::Timestamp;

use crate::{CallDigest, CallerId, Clock, SystemClock, ToolCall};

/// One person's consent to one call.
///
/// It covers exactly the call it was granted for, and [`crate::Stack::dispatch_confirmed`] consumes it.
///
/// # Security
/// Not `Clone`, not `Default`, not `Deserialize`: consent can be neither copied to a second call nor read from data.
#[derive(Debug)]
pub struct Approval {
    digest: CallDigest,
    by: CallerId,
    at: Timestamp,
    waited: Duration,
}

impl Approval {
    /// Records that `by` agreed to `call`.
    pub fn grant(call: &ToolCall, by: CallerId, clock: &dyn Clock) -> Self {
        Self { digest: call.digest(), by, at: clock.now(), waited: Duration::ZERO }
    }

    /// The same consent, given after the question had stood for `waited`.
    pub fn after(self, waited: Duration) -> Self {
        Self { waited, ..self }
    }

    /// The consent that lies in a rule which names the call.
    pub(crate) fn by_rule(call: &ToolCall) -> Self {
        let by = CallerId::parse("rule").expect("the constant is an identifier");
        Self::grant(call, by, &SystemClock)
    }

    /// The same consent for a call whose parameters a layer below the gates completed.
    pub(crate) fn rebound(&self, call: &ToolCall) -> Self {
        Self { digest: call.digest(), by: self.by.clone(), at: self.at, waited: self.waited }
    }

    /// Whether this consent was given to a call of the same tool with the same parameters.
    pub fn covers(&self, call: &ToolCall) -> bool {
        self.digest == call.digest()
    }

    /// Who agreed.
    pub fn by(&self) -> &CallerId {
        &self.by
    }

    /// When they agreed.
    pub fn at(&self) -> Timestamp {
        self.at
    }

    /// How long the question stood; zero for a consent that was given beforehand.
    pub fn waited(&self) -> Duration {
        self.waited
    }
}

/// One person's no to one call: for the record. It stops nothing, since without an [`Approval`] nothing runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Who refused.
    pub by: CallerId,
    /// How long the question stood.
    pub waited: Duration,
    /// Their own words for the model; `None` when they gave none.
    pub why: Option<String>,
}
