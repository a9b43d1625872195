//! The gates of a toolbox: where what people agreed to and the accounts of callers are kept, and
//! their sections, which are followed.

use std::{collections::BTreeSet, sync::Arc};

use tools_core::{CallerId, Judge, SystemClock, ToolName};
use tools_policy::{
    GateSettings, Gates,
    caller_quota::{CallerAccounts, MemoryAccounts},
    permissions::{ApprovalSnapshot, ApprovalStore, FileApprovals, SessionRules, TextDiff, script_difference},
};
use tools_secrets::SecretRedactor;

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig, named, places},
    part::{Part, Swap},
};

/// How a question shows what changed in a script: as the file tools show changes.
#[cfg(feature = "file")]
const TEXT_DIFF: Option<TextDiff> = Some(tools_file::diff);
/// There are no file tools.
#[cfg(not(feature = "file"))]
const TEXT_DIFF: Option<TextDiff> = None;

/// The gates, which follow their sections.
#[derive(Debug)]
pub(crate) struct GatePart {
    pub(crate) gates: Arc<Gates>,
    /// The names of the host's own tools.
    hosts: BTreeSet<ToolName>,
}

impl GatePart {
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
        let tools = &loaded.config.tools;
        let callers = caller_accounts(&tools.caller_quota.database)
            .map_err(|problem| loaded.fault("tools.caller_quota.database", problem))?;
        let (store, known) = approvals(loaded)?;
        let texts = tools.approvals.scripts(&places::state_dir());
        let rules = SessionRules::over(store, known, Arc::new(SystemClock))
            .of_caller(guest)
            .showing(script_difference(texts, TEXT_DIFF));
        check_judge(loaded, judge.is_some())?;
        let (approvals, resets) = (tools.approvals.clone(), places::resets_dir());
        let settings = GateSettings { rules, approvals, callers, judge, secrets, resets };
        let renamed = named(&loaded.config, &hosts);
        let config = renamed.as_ref().unwrap_or(&loaded.config);
        let gates = Gates::new(settings, &config.gates()).map_err(|fault| loaded.fault(&fault.key, fault.problem))?;
        Ok(Self { gates: Arc::new(gates), hosts })
    }
}

impl Part for GatePart {
    fn compile(self: Arc<Self>, _: &HaftConfig, loaded: &LoadedConfig<HaftConfig>) -> Result<Swap, LoadError> {
        check_judge(loaded, self.gates.state.judge.is_some())?;
        let renamed = named(&loaded.config, &self.hosts);
        let sections = renamed.as_ref().unwrap_or(&loaded.config).gates();
        let compiled = self.gates.compile(&sections);
        Ok(Box::new(compiled.map_err(|fault| loaded.fault(&fault.key, fault.problem))?))
    }
}

/// A gate that asks a model cannot be switched on where there is none.
fn check_judge(loaded: &LoadedConfig<HaftConfig>, is_there: bool) -> Result<(), LoadError> {
    let config = &loaded.config.tools.adversarial_policy;
    if is_there || !config.enabled {
        return Ok(());
    }
    #[cfg(feature = "llm")]
    let missing = loaded.config.llm.unknown(&config.provider);
    #[cfg(not(feature = "llm"))]
    let missing = format!("this build has no models, so there is no provider `{}`", config.provider);
    Err(loaded.fault("tools.adversarial_policy.enabled", format!("a model judges calls, and {missing}")))
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

/// Where approvals outlive a session, a file of this user or a database, and what is known of it
/// before it is first read.
fn approvals(loaded: &LoadedConfig<HaftConfig>) -> Result<(Arc<dyn ApprovalStore>, ApprovalSnapshot), LoadError> {
    let config = &loaded.config.tools.approvals;
    if config.database.is_empty() {
        let file = FileApprovals::at(config.file(&places::state_dir()));
        let first = file.snapshot();
        return Ok((Arc::new(file), first));
    }
    #[cfg(feature = "postgres")]
    {
        use tools_team::approvals::{ApprovalDatabase, PostgresApprovals};
        let database = tools_team::shared(&config.database, ApprovalDatabase::at)
            .map_err(|_| loaded.fault("tools.approvals.database", crate::databases::NO_ADDRESS))?;
        let store = PostgresApprovals::over(database, config.on_unreadable());
        Ok((Arc::new(store), ApprovalSnapshot::default()))
    }
    #[cfg(not(feature = "postgres"))]
    Err(loaded.fault("tools.approvals.database", crate::databases::NO_SERVERS))
}
