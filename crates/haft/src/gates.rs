//! The one list of gates. Order, compilation, reload, `explain`, `config check`, the reference
//! pages and which tools are listed all go through it: another gate is one more entry here.

use std::{borrow::Cow, collections::BTreeSet, sync::Arc};

use tools_core::{CallerId, Invocation, Judge, Layer, SessionId, Shared, SystemClock, ToolDef, ToolName};
use tools_policy::{
    Explanation,
    adversarial::AdversarialGate,
    anomaly::{AnomalyGate, AnomalyPolicy, ToolHealth},
    caller_quota::{CallerAccounts, CallerQuotaGate, MemoryAccounts},
    gate::{AnyGate, CompileContext, Gate, GateInfo, GateLayer, Stands},
    grounding::{GroundingGate, SessionTexts},
    permissions::{PermissionGate, PermissionsConfig, SessionRules, script_difference},
    placement::PlacementGate,
    quota::{Ledger, QuotaGate, QuotaPolicy},
    rules::PolicyGate,
    trust::TrustGate,
    utility::{History, UtilityGate},
};
use tools_secrets::SecretRedactor;

use crate::{
    approvals,
    config::{HaftConfig, LoadError, LoadedConfig, named, places},
    part::{Part, Swap},
};

/// The gates, outermost first.
pub(crate) const GATES: &[Row] = &[
    row::<QuotaGate>(),
    row::<CallerQuotaGate>(),
    row::<UtilityGate>(),
    row::<GroundingGate>(),
    row::<PolicyGate>(),
    row::<AdversarialGate>(),
    row::<TrustGate>(),
    row::<PlacementGate>(),
    row::<PermissionGate>(),
    row::<AnomalyGate>(),
];

/// One gate of the list.
pub(crate) struct Row {
    pub(crate) about: GateInfo,
    wire: fn(&Memory) -> WiredGate,
}

/// A gate that is made, and how its policy is made anew.
struct WiredGate {
    gate: Arc<dyn AnyGate>,
    compile: Box<Compile>,
}

type Compile = dyn Fn(&LoadedConfig<HaftConfig>) -> Result<Swap, LoadError> + Send + Sync;

/// How a gate is put together here: its part of the configuration, and what it shares with others.
trait GateSource: Gate<Config: Clone> {
    fn config(config: &HaftConfig) -> Cow<'_, Self::Config>;
    fn over(memory: &Memory) -> GateLayer<Self>;
}

const fn row<G: GateSource>() -> Row {
    Row { about: G::ABOUT, wire: wire::<G> }
}

fn wire<G: GateSource>(memory: &Memory) -> WiredGate {
    let gate = Arc::new(G::over(memory));
    let policy = gate.policy().clone();
    let compile = move |loaded: &LoadedConfig<HaftConfig>| {
        let home = tools_sandbox::home();
        let compiled = G::compile(&G::config(&loaded.config), &CompileContext { home: home.as_deref() });
        let compiled = compiled.map_err(|fault| loaded.fault(&fault.path, fault.problem))?;
        let policy = policy.clone();
        Ok(Box::new(move || policy.store(compiled)) as Swap)
    };
    WiredGate { gate, compile: Box::new(compile) }
}

/// What gates remember of earlier calls and share with the toolbox.
pub(crate) struct Memory {
    pub(crate) sessions: Arc<SessionRules>,
    pub(crate) ledger: Arc<Ledger>,
    callers: Arc<dyn CallerAccounts>,
    pub(crate) health: Arc<ToolHealth>,
    pub(crate) told: Arc<SessionTexts>,
    history: Arc<History>,
    quota: Shared<QuotaPolicy>,
    anomaly: Shared<AnomalyPolicy>,
    judge: Option<Arc<dyn Judge>>,
    secrets: SecretRedactor,
}

impl Memory {
    fn new(
        sessions: SessionRules,
        callers: Arc<dyn CallerAccounts>,
        judge: Option<Arc<dyn Judge>>,
        secrets: SecretRedactor,
    ) -> Self {
        let (quota, anomaly) = (Shared::new(QuotaPolicy::default()), Shared::new(AnomalyPolicy::default()));
        let health = ToolHealth::new(anomaly.clone(), Arc::new(SystemClock)).heeding_resets_in(places::resets_dir());
        Self {
            sessions: Arc::new(sessions),
            ledger: Arc::new(Ledger::new(quota.clone())),
            callers,
            health: Arc::new(health),
            told: Arc::default(),
            history: Arc::default(),
            quota,
            anomaly,
            judge,
            secrets,
        }
    }
}

impl GateSource for QuotaGate {
    fn config(config: &HaftConfig) -> Cow<'_, Self::Config> {
        Cow::Borrowed(&config.tools.max_tool_calls_per_session)
    }

    fn over(memory: &Memory) -> GateLayer<Self> {
        GateLayer::new(Self::new(Arc::clone(&memory.ledger)), memory.quota.clone())
    }
}

impl GateSource for CallerQuotaGate {
    fn config(config: &HaftConfig) -> Cow<'_, Self::Config> {
        Cow::Borrowed(&config.tools.caller_quota)
    }

    fn over(memory: &Memory) -> GateLayer<Self> {
        GateLayer::new(Self::new(Arc::clone(&memory.callers)), Shared::new(Self::Policy::default()))
    }
}

impl GateSource for UtilityGate {
    fn config(config: &HaftConfig) -> Cow<'_, Self::Config> {
        Cow::Borrowed(&config.tools.utility)
    }

    fn over(memory: &Memory) -> GateLayer<Self> {
        GateLayer::new(Self::new(Arc::clone(&memory.history)), Shared::new(Self::Policy::default()))
    }
}

impl GateSource for GroundingGate {
    fn config(config: &HaftConfig) -> Cow<'_, Self::Config> {
        Cow::Borrowed(&config.agent.hallucination_detection)
    }

    fn over(memory: &Memory) -> GateLayer<Self> {
        GateLayer::new(Self::new(Arc::clone(&memory.told)), Shared::new(Self::Policy::default()))
    }
}

impl GateSource for PolicyGate {
    fn config(config: &HaftConfig) -> Cow<'_, Self::Config> {
        Cow::Owned((config.tools.policy.clone(), config.tools.authorization.clone()))
    }

    fn over(_: &Memory) -> GateLayer<Self> {
        GateLayer::new(Self, Shared::new(Self::Policy::default()))
    }
}

impl GateSource for AdversarialGate {
    fn config(config: &HaftConfig) -> Cow<'_, Self::Config> {
        Cow::Borrowed(&config.tools.adversarial_policy)
    }

    fn over(memory: &Memory) -> GateLayer<Self> {
        let gate = Self::new(memory.judge.clone(), memory.secrets.clone(), Arc::clone(&memory.told));
        GateLayer::new(gate, Shared::new(Self::Policy::default()))
    }
}

impl GateSource for TrustGate {
    fn config(config: &HaftConfig) -> Cow<'_, Self::Config> {
        Cow::Borrowed(&config.tools.trust)
    }

    fn over(memory: &Memory) -> GateLayer<Self> {
        GateLayer::new(Self::new(Arc::clone(&memory.health)), Shared::new(Self::Policy::default()))
    }
}

impl GateSource for PlacementGate {
    fn config(_: &HaftConfig) -> Cow<'_, Self::Config> {
        Cow::Owned(())
    }

    fn over(memory: &Memory) -> GateLayer<Self> {
        GateLayer::new(Self::new(memory.secrets.clone()), Shared::new(()))
    }
}

impl GateSource for PermissionGate {
    fn config(config: &HaftConfig) -> Cow<'_, Self::Config> {
        effective_permissions(config)
    }

    fn over(memory: &Memory) -> GateLayer<Self> {
        GateLayer::new(Self::new(Arc::clone(&memory.sessions)), Shared::new(Self::Policy::default()))
    }
}

impl GateSource for AnomalyGate {
    fn config(config: &HaftConfig) -> Cow<'_, Self::Config> {
        Cow::Borrowed(&config.tools.anomaly)
    }

    fn over(memory: &Memory) -> GateLayer<Self> {
        GateLayer::new(Self::new(Arc::clone(&memory.health)), memory.anomaly.clone())
    }
}

/// The rules as they count: without any, those that the shell's own lists stand for.
fn effective_permissions(config: &HaftConfig) -> Cow<'_, PermissionsConfig> {
    #[cfg(feature = "shell")]
    {
        let (shell, usual) = (&config.tools.shell, tools_shell::ShellConfig::default());
        let has_lists =
            shell.blocked_commands != usual.blocked_commands || shell.confirm_patterns != usual.confirm_patterns;
        let has_rules = config.tools.permissions.tools.keys().any(|list| list != tools_policy::permissions::NETWORK);
        if !has_rules && has_lists {
            let rules = tools_policy::permissions::from_legacy(&shell.blocked_commands, &shell.confirm_patterns);
            return Cow::Owned(PermissionsConfig { tools: [("bash".to_owned(), rules)].into() });
        }
    }
    Cow::Borrowed(&config.tools.permissions)
}

/// Why a gate that asks a model cannot be switched on.
fn without_judge(config: &HaftConfig) -> String {
    let name = &config.tools.adversarial_policy.provider;
    #[cfg(feature = "llm")]
    let missing = config.llm.unknown(name);
    #[cfg(not(feature = "llm"))]
    let missing = format!("this build has no models, so there is no provider `{name}`");
    format!("a model judges calls, and {missing}")
}

/// The accounts of callers: of this process, or those in a database.
fn caller_accounts(database: &str) -> Result<Arc<dyn CallerAccounts>, &'static str> {
    if database.is_empty() {
        return Ok(Arc::new(MemoryAccounts::new(Arc::new(SystemClock))));
    }
    #[cfg(feature = "postgres")]
    {
        let shared = tools_team::shared(database, tools_team::quota::PostgresAccounts::at);
        shared.map(|accounts| accounts as Arc<dyn CallerAccounts>).map_err(|_| crate::databases::NO_ADDRESS)
    }
    #[cfg(not(feature = "postgres"))]
    Err(crate::databases::NO_SERVERS)
}

/// Leaves the wish that a tool be let back, for every process of this user that blocks it for
/// failing.
///
/// # Errors
/// When the folder of the user's state cannot be written.
pub fn leave_trust_reset(tool: &ToolName) -> std::io::Result<()> {
    ToolHealth::leave_reset(&places::resets_dir(), tool)
}

/// The gates of a toolbox, in the order of [`GATES`], and what they remember.
pub(crate) struct Gates {
    pub(crate) memory: Memory,
    wired: Vec<WiredGate>,
    /// The names of the host's own tools.
    hosts: BTreeSet<ToolName>,
}

impl Gates {
    /// The gates of a configuration, with nothing remembered.
    ///
    /// # Errors
    /// The first section that cannot be compiled, by key and line.
    pub(crate) fn new(
        loaded: &LoadedConfig<HaftConfig>,
        judge: Option<Arc<dyn Judge>>,
        secrets: SecretRedactor,
        hosts: BTreeSet<ToolName>,
        guest: Option<CallerId>,
    ) -> Result<Self, LoadError> {
        let callers = caller_accounts(&loaded.config.tools.caller_quota.database)
            .map_err(|problem| loaded.fault("tools.caller_quota.database", problem))?;
        let (store, known) = approvals::store(loaded)?;
        let texts = loaded.config.tools.approvals.scripts(&places::state_dir());
        let sessions = SessionRules::over(store, known, Arc::new(SystemClock))
            .of_caller(guest)
            .showing(script_difference(texts, approvals::TEXT_DIFF));
        let memory = Memory::new(sessions, callers, judge, secrets);
        let gates = Self { wired: GATES.iter().map(|row| (row.wire)(&memory)).collect(), memory, hosts };
        gates.policies(loaded)?();
        Ok(gates)
    }

    /// Compiles every section; the first that cannot be compiled is the error.
    fn policies(&self, loaded: &LoadedConfig<HaftConfig>) -> Result<Swap, LoadError> {
        if self.memory.judge.is_none() && loaded.config.tools.adversarial_policy.enabled {
            return Err(loaded.fault("tools.adversarial_policy.enabled", without_judge(&loaded.config)));
        }
        let renamed = named(&loaded.config, &self.hosts).map(|config| loaded.with(config));
        let loaded = renamed.as_ref().unwrap_or(loaded);
        let compiled = self.wired.iter().map(|wired| (wired.compile)(loaded)).collect::<Result<Vec<_>, _>>()?;
        Ok(Box::new(move || compiled.into_iter().for_each(|swap| swap())))
    }

    /// The layers that stand in one place, outermost first.
    pub(crate) fn layers(&self, stands: Stands) -> impl Iterator<Item = Arc<dyn Layer>> {
        let here = self.gates().filter(move |gate| gate.about().stands == stands);
        here.map(|gate| Arc::clone(gate) as Arc<dyn Layer>)
    }

    fn gates(&self) -> impl Iterator<Item = &Arc<dyn AnyGate>> + Clone {
        self.wired.iter().map(|wired| &wired.gate)
    }

    /// The model that judges calls; `None` when there is none.
    pub(crate) fn judge_model(&self) -> Option<&str> {
        self.memory.judge.as_ref().map(|judge| judge.model())
    }

    /// What gates refuse a tool to read in calls from `workdir`.
    #[cfg(any(feature = "shell", feature = "file"))]
    pub(crate) fn closes(&self, tool: &str, workdir: &std::path::Path) -> Vec<tools_policy::gate::ReadRestriction> {
        self.gates().filter_map(|gate| gate.closes(tool, workdir)).collect()
    }

    /// Forgets what a session used and saw; what people allowed for it stays.
    pub(crate) fn reset(&self, session: &SessionId) {
        self.memory.ledger.reset(session);
        self.memory.history.reset(session);
        self.memory.told.forget(session);
    }

    /// What the gates would decide about a call. Changes nothing that they remember.
    pub(crate) fn explain(&self, inv: &Invocation) -> Explanation {
        Explanation::of(self.gates(), inv)
    }
}

impl Part for Gates {
    /// Calls under way keep their policies, and what the gates remember stays.
    fn compile(self: Arc<Self>, _: &HaftConfig, loaded: &LoadedConfig<HaftConfig>) -> Result<Swap, LoadError> {
        self.policies(loaded)
    }

    fn lint(&self, _: &HaftConfig, tools: &[Arc<ToolDef>]) -> Vec<String> {
        self.gates().flat_map(|gate| gate.lint(tools)).collect()
    }
}

impl std::fmt::Debug for Gates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gates").field("health", &self.memory.health).finish_non_exhaustive()
    }
}
