//! What people and hosts do with the gates of a toolbox: allow, take back, explain, reserve, let
//! tools back.

use tools_core::{CallContext, SessionId, StoredRule, ToolCall, ToolName};
use tools_policy::permissions::{Scope, StoredApproval};

use crate::{Explanation, Toolbox, agreed_scripts, approvals, gates::Gates};

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
    /// `tools.approvals.days` says. Where that cannot be kept, it is logged and holds for the
    /// session.
    pub fn allow_in_project(&self, cx: &CallContext, rule: StoredRule) {
        let scope = Scope::Project { project: cx.workdir().to_owned() };
        if let Err(error) = self.allow(rule.clone(), scope) {
            tracing::warn!(%error, "an approval cannot be kept; it holds for this session");
            self.allow_for_session(cx.session(), rule);
        }
    }

    /// Allows what `rule` matches beyond any session.
    ///
    /// # Errors
    /// When the pattern is not a valid glob, or the file of approvals cannot be written.
    pub fn allow(&self, rule: StoredRule, scope: Scope) -> std::io::Result<()> {
        let approved = self.config.tools.approvals.approve(rule, scope);
        let folder = agreed_scripts::folder(&self.config.tools.approvals.file());
        if let Err(error) = agreed_scripts::keep(&folder, approved.scripts.as_deref().unwrap_or_default()) {
            tracing::warn!(%error, "the texts of scripts cannot be kept; later questions will not show what changed");
        }
        approvals::append(&self.config.tools.approvals.file(), &approved)?;
        self.gates().memory.sessions.refresh();
        Ok(())
    }

    /// Rejects what `rule` matches in the folder that `cx` works in, for as long as
    /// `tools.approvals.days` says. Where that cannot be kept, it is logged, and the next such call
    /// asks again.
    pub fn reject_in_project(&self, cx: &CallContext, rule: StoredRule) {
        self.config.tools.approvals.reject_in_folder(rule, cx.workdir());
        self.gates().memory.sessions.refresh();
    }

    /// The approvals and rejections that stand beyond sessions, oldest first.
    pub fn approvals(&self) -> Vec<StoredApproval> {
        self.gates().memory.sessions.refresh();
        self.gates().memory.sessions.approvals()
    }

    /// Takes an approval or a rejection back.
    ///
    /// # Errors
    /// When the file of approvals cannot be written.
    pub fn revoke(&self, approved: StoredApproval) -> std::io::Result<()> {
        approvals::append(&self.config.tools.approvals.file(), &StoredApproval { revoked: true, ..approved })?;
        self.gates().memory.sessions.refresh();
        Ok(())
    }

    /// Predicts the decision about a call and names the rule behind it. The call is not run, no
    /// question is asked and nothing is recorded.
    pub async fn explain(&self, call: ToolCall, cx: &CallContext) -> Explanation {
        let inv = self.stack.inspect(call, cx).await;
        self.gates().explain(&inv)
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
