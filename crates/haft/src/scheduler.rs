//! Tasks in a toolbox: where they lie, and what would become of their calls.

use std::sync::Arc;

use tools_core::{Shared, SystemClock};
use tools_scheduler::{Scheduler, SchedulerPolicy, SchedulerTools, StackForesight};
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
    if !loaded.config.scheduler.enabled {
        return Ok(None);
    }
    let policy = parts.policy(loaded, SECTION, |config| config.scheduler.compile())?;
    let scheduler = over(loaded, policy)?;
    Ok(Some(SchedulerTools::new(scheduler, Arc::new(redactor.clone())).under(digest.clone())))
}

/// What foretells the fate of calls, once it is told the stack that they go through.
pub(crate) fn foresight(wiring: &Wiring) -> Arc<StackForesight> {
    #[cfg(feature = "policy")]
    return Arc::new(StackForesight::explained_by(crate::gates::explain(&wiring.gates)));
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
    if !loaded.config.scheduler.enabled {
        return Ok(None);
    }
    let policy = loaded.config.scheduler.compile().map_err(|fault| loaded.fault_in(SECTION, fault))?;
    over(loaded, Shared::new(policy)).map(Some)
}

fn over(loaded: &LoadedConfig<HaftConfig>, policy: Shared<SchedulerPolicy>) -> Result<Scheduler, LoadError> {
    let store = loaded.config.scheduler.store(&state_dir()).map_err(|fault| loaded.fault_in(SECTION, fault))?;
    Ok(Scheduler::new(store, policy, Arc::new(SystemClock)))
}
