//! Consent: one person's yes to one call.

use jiff::Timestamp;

use crate::{CallDigest, CallerId, Clock, ToolCall};

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
}

impl Approval {
    /// Records that `by` agreed to `call`.
    pub fn grant(call: &ToolCall, by: CallerId, clock: &dyn Clock) -> Self {
        Self { digest: call.digest(), by, at: clock.now() }
    }

    /// The same consent for a call whose parameters a layer below the gates completed.
    pub(crate) fn rebound(&self, call: &ToolCall) -> Self {
        Self { digest: call.digest(), by: self.by.clone(), at: self.at }
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
}
