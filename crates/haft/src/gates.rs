//! The gates of a toolbox: what each section compiles to, the layers over it, and what they would say of a call.

use std::{path::PathBuf, sync::Arc};

use tools_core::{CallContext, Invocation, Judge, Layer, SessionId, Shared, SystemClock, ToolName, Verdict};
use tools_policy::{
    adversarial::{AdversarialGate, AdversarialPolicy},
    anomaly::{AnomalyDetector, AnomalyPolicy, ToolHealth},
    grounding::{GroundingLayer, Told},
    permissions::{self, PermissionGate, Permissions, PermissionsConfig, Question, SessionRules},
    quota::{Ledger, QuotaGate, QuotaPolicy},
    rules::{self, PolicyEnforcer, PolicyGate, PolicyQuestion},
    trust::{self, TrustGate, TrustPolicy},
    utility::{History, UtilityPolicy, UtilityScorer},
};
use tools_retry::{RetryLayer, RetryPolicy};
use tools_shell::ShellConfig;

use crate::{
    Explanation, approvals,
    builder::home,
    config::{HaftConfig, LoadError, Loaded, places},
};

/// What the sections of all gates compile to: all of it, or nothing.
pub(crate) struct Compiled {
    permissions: Permissions,
    policy: PolicyEnforcer,
    trust: TrustPolicy,
    anomaly: AnomalyPolicy,
    quota: QuotaPolicy,
    utility: UtilityPolicy,
    adversarial: AdversarialPolicy,
    retry: RetryPolicy,
    grounding: bool,
}

/// The compiled policies that run, each swapped whole, and what the gates remember.
pub(crate) struct Gates {
    pub(crate) permissions: Shared<Permissions>,
    pub(crate) sessions: Arc<SessionRules>,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) health: Arc<ToolHealth>,
    pub(crate) policy: Shared<PolicyEnforcer>,
    trust: Shared<TrustPolicy>,
    anomaly: Shared<AnomalyPolicy>,
    quota: Shared<QuotaPolicy>,
    utility: Shared<UtilityPolicy>,
    adversarial: Shared<AdversarialPolicy>,
    judge: Option<Arc<dyn Judge>>,
    retry: Shared<RetryPolicy>,
    history: Arc<History>,
    grounding: Shared<bool>,
    pub(crate) told: Arc<Told>,
}

/// The rules as they count: without any, those that the shell's own lists stand for.
pub(crate) fn effective_permissions(config: &HaftConfig) -> PermissionsConfig {
    let (permissions, shell) = (&config.tools.permissions, &config.tools.shell);
    let usual = ShellConfig::default();
    let is_usual = shell.blocked_commands == usual.blocked_commands && shell.confirm_patterns == usual.confirm_patterns;
    if !permissions.tools.is_empty() || is_usual {
        return permissions.clone();
    }
    let rules = permissions::from_legacy(&shell.blocked_commands, &shell.confirm_patterns);
    PermissionsConfig { tools: [("bash".to_owned(), rules)].into() }
}

/// Leaves the wish that a tool be let back, for every process of this user that blocks it for failing.
///
/// # Errors
/// When the folder of the user's state cannot be written.
pub fn leave_trust_reset(tool: &ToolName) -> std::io::Result<()> {
    ToolHealth::leave_reset(&places::resets_dir(), tool)
}

impl Compiled {
    /// Compiles every section.
    ///
    /// # Errors
    /// The first section that cannot be compiled, by key and line.
    pub(crate) fn of(loaded: &Loaded<HaftConfig>) -> Result<Self, LoadError> {
        let (tools, home) = (&loaded.config.tools, home());
        let permissions = effective_permissions(&loaded.config).compile(home.as_deref());
        let policy = PolicyEnforcer::compile(&tools.policy, &tools.authorization, home.as_deref());
        let below = |section: &str, key: &str| format!("tools.{section}.{key}");
        Ok(Self {
            permissions: permissions.map_err(|error| loaded.fault(&error.path, error.problem))?,
            policy: policy.map_err(|error| loaded.fault(&error.path, error.problem))?,
            trust: tools.trust.compile().map_err(|error| loaded.fault(&error.path, error.problem))?,
            anomaly: tools
                .anomaly
                .compile()
                .map_err(|error| loaded.fault(&below("anomaly", error.key), error.problem))?,
            adversarial: tools
                .adversarial_policy
                .compile()
                .map_err(|error| loaded.fault(&below("adversarial_policy", error.key), error.problem))?,
            retry: tools.retry.compile().map_err(|error| loaded.fault(&below("retry", error.key), error.problem))?,
            quota: QuotaPolicy::compile(tools.max_tool_calls_per_session),
            utility: tools
                .utility
                .compile()
                .map_err(|error| loaded.fault(&below("utility", error.key), error.problem))?,
            grounding: loaded.config.agent.hallucination_detection,
        })
    }
}

impl Gates {
    /// Gates over what was compiled, with nothing remembered.
    pub(crate) fn new(compiled: Compiled, approvals: PathBuf, judge: Option<Arc<dyn Judge>>) -> Self {
        let (anomaly, quota) = (Shared::new(compiled.anomaly), Shared::new(compiled.quota));
        let health = ToolHealth::new(anomaly.clone(), Arc::new(SystemClock)).heeding_resets_in(places::resets_dir());
        Self {
            permissions: Shared::new(compiled.permissions),
            sessions: Arc::new(SessionRules::with_source(approvals::source(approvals), Arc::new(SystemClock))),
            ledger: Arc::new(Ledger::new(quota.clone())),
            health: Arc::new(health),
            policy: Shared::new(compiled.policy),
            trust: Shared::new(compiled.trust),
            anomaly,
            quota,
            utility: Shared::new(compiled.utility),
            adversarial: Shared::new(compiled.adversarial),
            judge,
            retry: Shared::new(compiled.retry),
            history: Arc::default(),
            grounding: Shared::new(compiled.grounding),
            told: Arc::default(),
        }
    }

    /// Puts other policies in place; calls under way keep theirs, and what the gates remember stays.
    pub(crate) fn swap(&self, compiled: Compiled) {
        self.permissions.store(compiled.permissions);
        self.policy.store(compiled.policy);
        self.trust.store(compiled.trust);
        self.anomaly.store(compiled.anomaly);
        self.quota.store(compiled.quota);
        self.utility.store(compiled.utility);
        self.adversarial.store(compiled.adversarial);
        self.retry.store(compiled.retry);
        self.grounding.store(compiled.grounding);
    }

    /// The layers that may refuse a call before anything is done for it, outermost first.
    pub(crate) fn before(&self) -> Vec<Arc<dyn Layer>> {
        vec![
            Arc::new(QuotaGate::new(Arc::clone(&self.ledger))),
            Arc::new(UtilityScorer::new(self.utility.clone(), Arc::clone(&self.history))),
            Arc::new(GroundingLayer::new(self.grounding.clone(), Arc::clone(&self.told))),
            Arc::new(PolicyGate::new(self.policy.clone())),
            Arc::new(AdversarialGate::new(self.adversarial.clone(), self.judge.clone())),
            Arc::new(TrustGate::new(self.trust.clone(), Arc::clone(&self.health))),
            Arc::new(PermissionGate::new(self.permissions.clone(), Arc::clone(&self.sessions))),
        ]
    }

    /// The model that judges calls; `None` when there is none.
    pub(crate) fn judge_model(&self) -> Option<&str> {
        self.judge.as_ref().map(|judge| judge.model())
    }

    /// The layers around the execution itself.
    pub(crate) fn around_execution(&self) -> Vec<Arc<dyn Layer>> {
        vec![Arc::new(AnomalyDetector::new(Arc::clone(&self.health))), Arc::new(RetryLayer::new(self.retry.clone()))]
    }

    /// Forgets what a session used and saw; what people allowed for it stays.
    pub(crate) fn reset(&self, session: &SessionId) {
        self.ledger.reset(session);
        self.history.reset(session);
        self.told.forget(session);
    }

    /// What the gates would decide about a call. Changes nothing that they remember.
    pub(crate) fn explain(&self, inv: &Invocation, cx: &CallContext) -> Explanation {
        let tool = inv.call.tool.clone();
        let inspection = match inv.inspection() {
            Ok(inspection) => inspection,
            Err(error) => return Explanation::refused(tool, &error),
        };
        let trust =
            trust::effective(&self.trust.load(), cx.trust(), inv.call.caller_id.as_ref(), inv.call.tool.as_str());
        self.sessions.refresh();
        let (permissions, session) = (self.permissions.load(), self.sessions.of(cx.session()));
        let definition = &inv.definition;
        let question = Question { definition, inspection, trust, workdir: cx.workdir(), session: &session };
        let decision = permissions::decide(&permissions, &question);
        let explained = Explanation::judged(tool, &permissions::prompt(inv, &decision), &decision);
        let question = PolicyQuestion { definition, params: &inv.call.params, inspection, workdir: cx.workdir() };
        let policy = rules::decide(&self.policy.load(), &question);
        if policy.is_denied() {
            let decided_by = policy.trace.unwrap_or_default();
            return Explanation { verdict: Verdict::Deny, layer: "policy", decided_by, would_store: None, ..explained };
        }
        explained
    }
}

impl std::fmt::Debug for Gates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gates").field("health", &self.health).finish_non_exhaustive()
    }
}
