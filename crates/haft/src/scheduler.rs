//! Tasks in a toolbox: where they lie, and what would become of their calls.

use std::sync::Arc;

use tools_core::{Shared, SystemClock};
use tools_scheduler::{Scheduler, SchedulerTools, StackForesight};
use tools_secrets::SecretRedactor;

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig, places::state_dir},
    part::PartList,
    wiring::Wiring,
};

const SECTION: &str = "scheduler";

/// The tools of a configuration, which write down `digest`, that of the rules in force; `None`
/// where it switches them off.
///
/// # Errors
/// A value that cannot be used, by key and line.
pub(crate) fn tools(
    loaded: &LoadedConfig<HaftConfig>,
    redactor: &Shared<SecretRedactor>,
    digest: &Shared<String>,
    parts: &mut PartList,
) -> Result<Option<SchedulerTools>, LoadError> {
    let tools = |scheduler| SchedulerTools::new(scheduler, Arc::new(redactor.clone())).under(digest.clone());
    Ok(open(loaded, parts)?.map(tools))
}

/// What foretells the fate of calls, once it is told the stack that they go through.
pub(crate) fn foresight(wiring: &Wiring) -> Arc<StackForesight> {
    #[cfg(feature = "policy")]
    return Arc::new(StackForesight::explained_by(wiring.gates.explainer()));
    #[cfg(not(feature = "policy"))]
    {
        let _ = wiring;
        Arc::default()
    }
}

/// The scheduler of a configuration, for an operator; `None` where it is switched off. The file is
/// opened when it is first used.
///
/// # Errors
/// A value that cannot be used, by key and line.
pub fn schedule(loaded: &LoadedConfig<HaftConfig>) -> Result<Option<Scheduler>, LoadError> {
    open(loaded, &mut PartList::default())
}

fn open(loaded: &LoadedConfig<HaftConfig>, parts: &mut PartList) -> Result<Option<Scheduler>, LoadError> {
    let config = &loaded.config.scheduler;
    if !config.enabled {
        return Ok(None);
    }
    let policy = parts.policy(loaded, SECTION, |loaded| loaded.config.scheduler.compile())?;
    let store = config.store(&state_dir()).map_err(|fault| loaded.fault_in(SECTION, fault))?;
    Ok(Some(Scheduler::new(store, policy, Arc::new(SystemClock))))
}
