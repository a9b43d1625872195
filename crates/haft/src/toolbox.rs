//! All tools, all layers, one way in.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use async_trait::async_trait;
use tools_cache::ToolResultCache;
use tools_checkpoint::Checkpoints;
use tools_core::{
    Approval, Asking, CallContext, CallerId, Confirmer, Decisions, Desk, Recorded, Refusal, SessionId, Shared, Stack,
    StoredRule, SystemClock, ToolCall, ToolDef, ToolError, ToolName, settle,
};
use tools_filter::FilterPipeline;
use tools_policy::permissions::{Approved, Scope};
use tools_retry::RetryConfig;

use crate::{
    Doctor, Explanation, agreed_scripts, approvals, builder::ToolboxBuilder, config::HaftConfig, config::Loaded,
    credentials, gates::Gates,
};

/// All tools behind all layers: what a host holds. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Toolbox {
    pub(crate) stack: Arc<Stack>,
    pub(crate) context: CallContext,
    pub(crate) config: Arc<HaftConfig>,
    pub(crate) gates: Arc<Gates>,
    /// What the last reload put in place.
    pub(crate) running: Arc<std::sync::Mutex<HaftConfig>>,
    pub(crate) parts: Arc<crate::builder::Parts>,
}

impl Toolbox {
    /// Starts building one.
    pub fn builder(config: Loaded<HaftConfig>) -> ToolboxBuilder {
        ToolboxBuilder::new(config)
    }

    /// The dispatcher: for hosts that ask people in their own way.
    pub fn stack(&self) -> &Arc<Stack> {
        &self.stack
    }

    /// The context every call starts from: its session, and where relative paths start.
    pub fn context(&self) -> CallContext {
        self.context.clone()
    }

    /// What runs.
    pub fn config(&self) -> &HaftConfig {
        &self.config
    }

    /// The definition of a tool; a cautious one without schema when nobody owns it.
    pub fn definition(&self, tool: &ToolName) -> Arc<ToolDef> {
        self.stack.definition(tool).unwrap_or_else(|| Arc::new(ToolDef::unknown(tool.clone())))
    }

    /// Makes a call; where a person has to agree, `confirmer` asks one, and the call is judged again with their consent.
    pub async fn call(&self, call: ToolCall, cx: &CallContext, confirmer: &dyn Confirmer) -> Recorded {
        let (questions, desk) = Desk::open();
        let cx = &cx.clone().with_questions(questions);
        let asking = Asking { confirmer, decisions: Some(self), by: &person(), clock: &SystemClock };
        desk.while_running(confirmer, settle(call, cx, asking, |call, approval| self.stack.run(call, approval, cx)))
            .await
    }

    /// Makes a call that a person agreed to beforehand, whether or not they would have been asked. Every gate judges it.
    /// What it asks while it runs goes to `confirmer`.
    pub async fn call_approved(&self, call: ToolCall, cx: &CallContext, confirmer: &dyn Confirmer) -> Recorded {
        let approval = Approval::grant(&call, person(), &SystemClock);
        let (questions, desk) = Desk::open();
        let cx = &cx.clone().with_questions(questions);
        desk.while_running(confirmer, self.stack.run(call, Some(approval), cx)).await
    }

    /// Puts on record that a person refused a call; `error` is what its model is told.
    pub async fn decline(&self, call: ToolCall, cx: &CallContext, refusal: &Refusal, error: ToolError) {
        if let Some(audit) = &self.parts.record {
            let inv = self.stack.inspect(call, cx).await;
            audit.decline(&inv, refusal, error);
        }
    }

    /// Allows what `rule` matches for the rest of a session. It answers questions and lifts no denial.
    ///
    /// A rule that no person can have been shown (its pattern is no glob) is logged and dropped: the next call asks
    /// again.
    pub fn allow_for_session(&self, session: &SessionId, rule: StoredRule) {
        if let Err(error) = self.gates.memory.sessions.add(session, rule) {
            tracing::warn!(%error, "a rule for the session was dropped");
        }
    }

    /// Allows what `rule` matches in the folder that `cx` works in, for as long as `tools.approvals.days` says. Where that
    /// cannot be kept, it is logged and holds for the session.
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
    /// When the pattern is no glob, or the file of approvals cannot be written.
    pub fn allow(&self, rule: StoredRule, scope: Scope) -> std::io::Result<()> {
        let approved = self.config.tools.approvals.approve(rule, scope);
        approved.check().map_err(std::io::Error::other)?;
        let folder = agreed_scripts::folder(&self.config.tools.approvals.file());
        if let Err(error) = agreed_scripts::keep(&folder, approved.scripts.as_deref().unwrap_or_default()) {
            tracing::warn!(%error, "the texts of scripts cannot be kept; later questions will not show what changed");
        }
        approvals::append(&self.config.tools.approvals.file(), &approved)?;
        self.gates.memory.sessions.refresh();
        Ok(())
    }

    /// The approvals that stand beyond sessions, oldest first.
    pub fn approvals(&self) -> Vec<Approved> {
        self.gates.memory.sessions.refresh();
        self.gates.memory.sessions.approvals()
    }

    /// Takes an approval back.
    ///
    /// # Errors
    /// When the file of approvals cannot be written.
    pub fn revoke(&self, approved: Approved) -> std::io::Result<()> {
        approvals::append(&self.config.tools.approvals.file(), &Approved { revoked: true, ..approved })?;
        self.gates.memory.sessions.refresh();
        Ok(())
    }

    /// What would be decided about a call, and by what. Runs nothing, asks nobody, records nothing.
    pub async fn explain(&self, call: ToolCall, cx: &CallContext) -> Explanation {
        let inv = self.stack.inspect(call, cx).await;
        self.gates.explain(&inv)
    }

    /// Reserves a batch of calls, of the session and batch of `cx`, against the quota. Where the batch does not fit, each
    /// of its calls is refused.
    pub fn reserve(&self, cx: &CallContext, calls: u64) -> bool {
        self.gates.memory.ledger.reserve(cx, calls)
    }

    /// Remembers what a user said in a session: with `agent.hallucination_detection`, calls may name what stands in it.
    pub fn told(&self, session: &SessionId, text: &str) {
        self.gates.memory.told.user(session, text);
    }

    /// Forgets what a session used of its quota and what its calls gave; what people allowed for it stays.
    pub fn reset_session(&self, session: &SessionId) {
        self.gates.reset(session);
    }

    /// Forgets a session, and what people allowed for it, and ends its jobs; see [`Toolbox::end_jobs`] for waiting until
    /// they are gone.
    pub fn end_session(&self, session: &SessionId) {
        self.gates.reset(session);
        self.gates.memory.sessions.end(session);
        self.parts.jobs.abandon_session(session);
        #[cfg(feature = "egress")]
        self.parts.outlets.end(session);
    }

    /// Ends what a session runs in the background. When this returns nothing of it is left.
    pub async fn end_jobs(&self, session: &SessionId) {
        self.parts.jobs.end_session(session).await;
    }

    /// Lets a tool back that was blocked because it kept failing.
    pub fn reset_trust(&self, tool: &ToolName) {
        self.gates.memory.health.reset(tool.as_str());
    }

    /// The tools that are blocked because they kept failing, with how many of how many calls failed.
    pub fn blocked_tools(&self) -> Vec<(ToolName, usize, usize)> {
        self.gates.memory.health.blocked()
    }

    /// The results that are kept to be served again: for its counters, and to clear it when a conversation begins anew.
    /// A reload begins another.
    pub fn cache(&self) -> Arc<ToolResultCache> {
        self.parts.swapped.results.load()
    }

    /// What calls changed, and the way back; `None` when it is not kept.
    pub fn checkpoints(&self) -> Option<&Checkpoints> {
        self.parts.checkpoints.as_ref()
    }

    /// Rules that can never match, and whatever else in the configuration holds but does not do what it looks like.
    pub fn lint(&self) -> Vec<String> {
        let definitions = self.stack.definitions();
        let mut findings = self.gates.lint(&definitions);
        findings.extend(credentials::lint(&self.config.tools.file));
        findings.extend(retry_lint(&self.config.tools.retry, &definitions));
        findings.extend(self.parts.swapped.filter_warnings.load().iter().cloned());
        findings
    }

    /// The rules that the output of commands is filtered by.
    pub fn filters(&self) -> &Shared<FilterPipeline> {
        &self.parts.filters
    }

    /// What this machine can hold, and what is not stopped.
    pub fn doctor(&self) -> Doctor {
        Doctor::examine(self)
    }

    /// The roots that tools are kept in: canonical, absolute.
    pub fn roots(&self) -> Vec<PathBuf> {
        self.parts.roots(self.context.workdir())
    }

    /// The policies of this toolbox's own tools; `None` when there are none.
    pub(crate) fn leaves(&self) -> Option<Arc<crate::reload::Leaves>> {
        self.parts.swapped.in_use().into_iter().find(|leaves| leaves.workdir == self.workdir())
    }

    /// The folders that commands may write.
    pub(crate) fn writable(&self) -> Vec<PathBuf> {
        let shell = self.config.tools.shell.allowed_paths.iter();
        let absolute = |path: &String| match (path.strip_prefix("~/"), crate::builder::home()) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.workdir().join(path),
        };
        shell.filter_map(|path| absolute(path).canonicalize().ok()).chain(self.roots()).collect()
    }

    /// The same toolbox, kept in `roots` only: which must lie inside its own. The record and the rules are shared.
    ///
    /// # Errors
    /// When one of the roots cannot be opened.
    pub fn narrowed(&self, roots: &[PathBuf]) -> Result<Self, crate::config::LoadError> {
        self.parts.narrowed(self, roots)
    }

    /// Where relative paths start.
    pub fn workdir(&self) -> &Path {
        self.context.workdir()
    }
}

/// What of `tools.retry` comes to nothing with these tools.
fn retry_lint(config: &RetryConfig, tools: &[Arc<ToolDef>]) -> Vec<String> {
    let mut found = Vec::new();
    if !config.parameter_reformat_provider.is_empty() {
        found.push(
            "`tools.retry.parameter_reformat_provider`: there is no model here, so that no parameters are reformatted"
                .to_owned(),
        );
    }
    if *config != RetryConfig::default() && !tools.iter().any(|tool| tool.trusted_traits().retryable) {
        found.push("`tools.retry`: no tool here may be repeated, so that nothing is retried".to_owned());
    }
    found
}

fn person() -> CallerId {
    CallerId::parse("person").expect("the constant is an identifier")
}

#[async_trait]
impl Decisions for Toolbox {
    fn allow_for_session(&self, session: &SessionId, rule: StoredRule) {
        Self::allow_for_session(self, session, rule);
    }

    fn allow_always(&self, cx: &CallContext, rule: StoredRule) {
        self.allow_in_project(cx, rule);
    }

    async fn declined(&self, call: ToolCall, cx: &CallContext, refusal: Refusal, error: ToolError) {
        self.decline(call, cx, &refusal, error).await;
    }
}
