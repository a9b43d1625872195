//! Actions of people on gates: allow, reject, list, revoke.

use tools_core::{CallContext, SessionId, StoredRule};

use super::Gates;
use crate::permissions::{ApprovalsError, OnUnreadable, Scope, StoredApproval};

impl Gates {
    /// Allows calls that `rule` matches for the rest of a session. It answers questions and lifts
    /// no denial.
    ///
    /// A rule that no person can have seen (its pattern is not a valid glob) is logged and dropped:
    /// the next call asks again.
    pub fn allow_for_session(&self, session: &SessionId, rule: StoredRule) {
        if let Err(error) = self.state.rules.add(session, rule) {
            tracing::warn!(%error, "a rule for the session was dropped");
        }
    }

    /// Allows calls that `rule` matches in the working directory of `cx`, for
    /// `tools.approvals.days`. If it cannot be stored, this is logged, and the rule applies to the
    /// session, or to this call alone, as `tools.approvals.on_error` says.
    pub async fn allow_in_project(&self, cx: &CallContext, rule: StoredRule) {
        let scope = Scope::Project { project: cx.workdir().to_owned() };
        if let Err(error) = self.allow(rule.clone(), scope).await {
            let holds_for_session = self.state.rules.on_error() == OnUnreadable::Keep;
            tracing::warn!(%error, holds_for_session, "an approval cannot be stored");
            if holds_for_session {
                self.allow_for_session(cx.session(), rule);
            }
        }
    }

    /// Allows calls that `rule` matches beyond any session: the gates of a guest allow them for
    /// that guest, all others for everybody.
    ///
    /// # Errors
    /// If the pattern is not a valid glob, or the approval cannot be stored.
    pub async fn allow(&self, rule: StoredRule, scope: Scope) -> Result<(), ApprovalsError> {
        let rules = &self.state.rules;
        rules.store(self.state.approvals.approve(rule, scope, rules.caller().cloned())).await
    }

    /// Rejects calls that `rule` matches in the working directory of `cx`, for
    /// `tools.approvals.days`. If it cannot be stored, this is logged, and the next such call asks
    /// again.
    pub async fn reject_in_project(&self, cx: &CallContext, rule: StoredRule) {
        let rules = &self.state.rules;
        let rejected = self.state.approvals.reject_in_folder(rule, cx.workdir(), rules.caller().cloned());
        if let Err(error) = rules.store(rejected).await {
            tracing::warn!(%error, "a rejection cannot be stored; the next such call asks again");
        }
    }

    /// The stored approvals and rejections, oldest first.
    ///
    /// # Errors
    /// If they cannot be read.
    pub async fn approvals(&self) -> Result<Vec<StoredApproval>, ApprovalsError> {
        self.state.rules.refresh().await?;
        Ok(self.state.rules.approvals())
    }

    /// Revokes an approval or a rejection.
    ///
    /// # Errors
    /// If the revocation cannot be stored.
    pub async fn revoke(&self, approved: StoredApproval) -> Result<(), ApprovalsError> {
        self.state.rules.store(StoredApproval { revoked: true, ..approved }).await
    }
}
