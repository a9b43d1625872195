//! What people do with gates: allow, reject, look at what stands, take it back.

use tools_core::{CallContext, SessionId, StoredRule};

use super::Gates;
use crate::permissions::{ApprovalsError, OnUnreadable, Scope, StoredApproval};

impl Gates {
    /// Allows what `rule` matches for the rest of a session. It answers questions and lifts no
    /// denial.
    ///
    /// A rule that no person can have been shown (its pattern is not a valid glob) is logged and
    /// dropped: the next call asks again.
    pub fn allow_for_session(&self, session: &SessionId, rule: StoredRule) {
        if let Err(error) = self.state.rules.add(session, rule) {
            tracing::warn!(%error, "a rule for the session was dropped");
        }
    }

    /// Allows what `rule` matches in the folder that `cx` works in, for as long as
    /// `tools.approvals.days` says. Where that cannot be stored, it is logged, and holds for the
    /// session, or for this call alone where `tools.approvals.on_error` says so.
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

    /// Allows what `rule` matches beyond any session: with the gates of a guest for the calls of
    /// that guest, with any others for those of everybody.
    ///
    /// # Errors
    /// When the pattern is not a valid glob, or the approval cannot be stored.
    pub async fn allow(&self, rule: StoredRule, scope: Scope) -> Result<(), ApprovalsError> {
        let rules = &self.state.rules;
        rules.store(self.state.approvals.approve(rule, scope, rules.caller().cloned())).await
    }

    /// Rejects what `rule` matches in the folder that `cx` works in, for as long as
    /// `tools.approvals.days` says. Where that cannot be stored, it is logged, and the next such
    /// call asks again.
    pub async fn reject_in_project(&self, cx: &CallContext, rule: StoredRule) {
        let rules = &self.state.rules;
        let rejected = self.state.approvals.reject_in_folder(rule, cx.workdir(), rules.caller().cloned());
        if let Err(error) = rules.store(rejected).await {
            tracing::warn!(%error, "a rejection cannot be stored; the next such call asks again");
        }
    }

    /// The approvals and rejections that stand beyond sessions, oldest first.
    ///
    /// # Errors
    /// When they cannot be read.
    pub async fn approvals(&self) -> Result<Vec<StoredApproval>, ApprovalsError> {
        self.state.rules.refresh().await?;
        Ok(self.state.rules.approvals())
    }

    /// Takes an approval or a rejection back.
    ///
    /// # Errors
    /// When the revocation cannot be stored.
    pub async fn revoke(&self, approved: StoredApproval) -> Result<(), ApprovalsError> {
        self.state.rules.store(StoredApproval { revoked: true, ..approved }).await
    }
}
