//! What people and hosts do with the gates of a toolbox: allow, take back, explain, reserve, let
//! tools back.

use tools_core::{CallContext, CallerId, SessionId, StoredRule, ToolCall, ToolName};
use tools_policy::{
    Explanation,
    permissions::{ApprovalsError, OnUnreadable, Scope, StoredApproval, TestedExample},
};

use crate::{Toolbox, gates::Gates};

impl Toolbox {
    pub(crate) fn gates(&self) -> &Gates {
        &self.parts.wiring.gates
    }

    /// Allows what `rule` matches for the rest of a session. It answers questions and lifts no
    /// denial.
    ///
    /// A rule that no person can have been shown (its pattern is not a valid glob) is logged and
    /// dropped: the next call asks again.
    pub fn allow_for_session(&self, session: &SessionId, rule: StoredRule) {
        if let Err(error) = self.gates().memory.sessions.add(session, rule) {
            tracing::warn!(%error, "a rule for the session was dropped");
        }
    }

    /// Allows what `rule` matches in the folder that `cx` works in, for as long as
    /// `tools.approvals.days` says. Where that cannot be stored, it is logged, and holds for the
    /// session, or for this call alone where `tools.approvals.on_error` says so.
    pub async fn allow_in_project(&self, cx: &CallContext, rule: StoredRule) {
        let scope = Scope::Project { project: cx.workdir().to_owned() };
        if let Err(error) = self.allow(rule.clone(), scope).await {
            let holds_for_session = self.gates().memory.sessions.on_error() == OnUnreadable::Keep;
            tracing::warn!(%error, holds_for_session, "an approval cannot be stored");
            if holds_for_session {
                self.allow_for_session(cx.session(), rule);
            }
        }
    }

    /// Allows what `rule` matches beyond any session: in a toolbox of a guest for the calls of that
    /// guest, in any other for those of everybody.
    ///
    /// # Errors
    /// When the pattern is not a valid glob, or the approval cannot be stored.
    pub async fn allow(&self, rule: StoredRule, scope: Scope) -> Result<(), ApprovalsError> {
        let approved = self.config.tools.approvals.approve(rule, scope, self.guest());
        self.gates().memory.sessions.store(approved).await
    }

    /// Rejects what `rule` matches in the folder that `cx` works in, for as long as
    /// `tools.approvals.days` says. Where that cannot be stored, it is logged, and the next such
    /// call asks again.
    pub async fn reject_in_project(&self, cx: &CallContext, rule: StoredRule) {
        let rejected = self.config.tools.approvals.reject_in_folder(rule, cx.workdir(), self.guest());
        if let Err(error) = self.gates().memory.sessions.store(rejected).await {
            tracing::warn!(%error, "a rejection cannot be stored; the next such call asks again");
        }
    }

    /// The approvals and rejections that stand beyond sessions, oldest first.
    ///
    /// # Errors
    /// When they cannot be read.
    pub async fn approvals(&self) -> Result<Vec<StoredApproval>, ApprovalsError> {
        let sessions = &self.gates().memory.sessions;
        sessions.refresh().await?;
        Ok(sessions.approvals())
    }

    /// Takes an approval or a rejection back.
    ///
    /// # Errors
    /// When the revocation cannot be stored.
    pub async fn revoke(&self, approved: StoredApproval) -> Result<(), ApprovalsError> {
        self.gates().memory.sessions.store(StoredApproval { revoked: true, ..approved }).await
    }

    fn guest(&self) -> Option<CallerId> {
        self.gates().memory.sessions.caller().cloned()
    }

    /// Predicts the decision about a call and names the rule behind it. The call is not run, no
    /// question is asked and nothing is recorded.
    pub async fn explain(&self, call: ToolCall, cx: &CallContext) -> Explanation {
        // Calls look anew, too; what cannot be read counts as it counts for them.
        let _ = self.gates().memory.sessions.refresh().await;
        let inv = self.stack.inspect(call, cx).await;
        self.gates().explain(&inv)
    }

    /// Tests every rule by the examples that it carries. Nothing runs.
    pub async fn test_rules(&self) -> Vec<TestedExample> {
        let definitions = self.stack.definitions();
        let mut tested = Vec::new();
        for example in self.config.tools.permissions.examples() {
            let decided = match example.call(&definitions) {
                Ok(call) => Ok(self.explain(call, &self.context()).await),
                Err(problem) => Err(problem),
            };
            tested.push(example.tested(decided));
        }
        tested
    }

    /// Reserves a batch of calls, of the session and batch of `cx`, against the quota. Where the
    /// batch does not fit, each of its calls is refused.
    pub fn reserve(&self, cx: &CallContext, calls: u64) -> bool {
        self.gates().memory.ledger.reserve(cx, calls)
    }

    /// Number of calls that a session has made or reserved, and the most it may make; `None` for no
    /// limit. Without a limit nothing is counted.
    pub fn quota(&self, session: &SessionId) -> (u64, Option<u64>) {
        self.gates().memory.ledger.state(session)
    }

    /// Remembers what a user said in a session: with `agent.hallucination_detection`, calls may
    /// name what stands in it.
    pub fn told(&self, session: &SessionId, text: &str) {
        self.gates().memory.told.user(session, text);
    }

    /// Lets a tool back that was blocked because it kept failing.
    pub fn reset_trust(&self, tool: &ToolName) {
        self.gates().memory.health.reset(tool.as_str());
    }

    /// The tools that are blocked because they kept failing, with how many of how many calls
    /// failed.
    pub fn blocked_tools(&self) -> Vec<(ToolName, usize, usize)> {
        self.gates().memory.health.blocked()
    }
}
