//! The gates of a toolbox: where what people agreed to and the accounts of callers are kept, and
//! their sections, which are followed.

use std::{collections::BTreeSet, sync::Arc};

use tools_core::{CallerId, DynExecutor, Judge, SystemClock, ToolExecutor as _, ToolName};
use tools_policy::{
    GateSettings, Gates,
    caller_quota::{CallerAccounts, MemoryAccounts},
    gate::Stands,
    permissions::{ApprovalSnapshot, ApprovalStore, FileApprovals, SessionRules, TextDiff, script_difference},
};
use tools_secrets::SecretRedactor;

#[cfg(feature = "postgres")]
use crate::databases;
use crate::{
    config::{HaftConfig, LoadError, LoadedConfig, named, places},
    part::PartList,
};

/// How a question shows what changed in a script: as the file tools show changes.
#[cfg(feature = "file")]
const TEXT_DIFF: Option<TextDiff> = Some(tools_file::diff);
/// There are no file tools.
#[cfg(not(feature = "file"))]
const TEXT_DIFF: Option<TextDiff> = None;

/// The gates of a configuration, with nothing remembered; they follow their sections. `hosts` are
/// the names of the host's own tools.
///
/// # Errors
/// The first section that cannot be compiled, by key and line.
pub(crate) fn open(
    loaded: &LoadedConfig<HaftConfig>,
    judge: Option<Arc<dyn Judge>>,
    secrets: SecretRedactor,
    hosts: BTreeSet<ToolName>,
    guest: Option<CallerId>,
    parts: &mut PartList,
) -> Result<Arc<Gates>, LoadError> {
    let tools = &loaded.config.tools;
    let callers = caller_accounts(loaded)?;
    let (store, known) = approvals(loaded)?;
    let texts = tools.approvals.scripts(&places::state_dir());
    let rules = SessionRules::over(store, known, Arc::new(SystemClock))
        .of_caller(guest)
        .showing(script_difference(texts, TEXT_DIFF));
    let asks = judge.is_some();
    check_judge(loaded, asks)?;
    let (approvals, resets) = (tools.approvals.clone(), places::resets_dir());
    let settings = GateSettings { rules, approvals, callers, judge, secrets, resets };
    let renamed = named(&loaded.config, &hosts);
    let config = renamed.as_ref().unwrap_or(&loaded.config);
    let gates = Gates::new(settings, &config.gates()).map_err(|fault| loaded.fault(&fault.key, fault.problem))?;
    let gates = Arc::new(gates);
    for place in [Stands::BeforeCall, Stands::AroundExecution] {
        parts.layers.extend(gates.layers(place));
    }
    parts.forget(&gates, |gates, session| gates.state.rules.end(session));
    let following = Arc::clone(&gates);
    parts.follow(move |loaded| {
        check_judge(loaded, asks)?;
        let renamed = named(&loaded.config, &hosts);
        let sections = renamed.as_ref().unwrap_or(&loaded.config).gates();
        following.compile(&sections).map_err(|fault| loaded.fault(&fault.key, fault.problem))
    });
    Ok(gates)
}

/// The names of the tools of executors.
pub(crate) fn names_of(executors: &[DynExecutor]) -> BTreeSet<ToolName> {
    executors.iter().flat_map(|executor| executor.tool_definitions().to_vec()).map(|tool| tool.name.clone()).collect()
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
#[cfg_attr(not(feature = "postgres"), expect(clippy::unnecessary_wraps, reason = "only an address can be wrong"))]
fn caller_accounts(loaded: &LoadedConfig<HaftConfig>) -> Result<Arc<dyn CallerAccounts>, LoadError> {
    #[cfg(feature = "postgres")]
    {
        let (key, address) = ("tools.caller_quota.database", &loaded.config.tools.caller_quota.database);
        if let Some(shared) = databases::shared(loaded, key, address, tools_team::quota::PostgresAccounts::at)? {
            return Ok(shared);
        }
    }
    let _ = loaded;
    Ok(Arc::new(MemoryAccounts::new(Arc::new(SystemClock))))
}

/// Where approvals outlive a session, a file of this user or a database, and what is known of it
/// before it is first read.
#[cfg_attr(not(feature = "postgres"), expect(clippy::unnecessary_wraps, reason = "only an address can be wrong"))]
fn approvals(loaded: &LoadedConfig<HaftConfig>) -> Result<(Arc<dyn ApprovalStore>, ApprovalSnapshot), LoadError> {
    let config = &loaded.config.tools.approvals;
    #[cfg(feature = "postgres")]
    {
        use tools_team::approvals::{ApprovalDatabase, PostgresApprovals};
        let key = "tools.approvals.database";
        if let Some(database) = databases::shared(loaded, key, &config.database, ApprovalDatabase::at)? {
            let store = PostgresApprovals::over(database, config.on_unreadable());
            return Ok((Arc::new(store), ApprovalSnapshot::default()));
        }
    }
    let file = FileApprovals::at(config.file(&places::state_dir()));
    let first = file.snapshot();
    Ok((Arc::new(file), first))
}
