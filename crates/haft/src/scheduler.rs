//! Tasks in a toolbox: where they lie, and what would become of their calls.

use std::{
    fmt,
    sync::{Arc, OnceLock, Weak},
};

use async_trait::async_trait;
use tools_core::{CallContext, DynExecutor, Redactor, Shared, Stack, SystemClock, ToolCall, ToolErrorCategory};
use tools_scheduler::{Foresight, Prospect, Scheduler, SchedulerPolicy, SchedulerTools};
use tools_secrets::SecretRedactor;

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig, places::state_dir, policy_digest},
    part::{Part, Swap},
};

const SECTION: &str = "scheduler";

/// The scheduler of a toolbox.
pub(crate) struct SchedulerParts {
    scheduler: Scheduler,
    policy: Shared<SchedulerPolicy>,
    /// What tells the rules in force apart.
    digest: Shared<String>,
    redactor: Arc<dyn Redactor>,
}

impl fmt::Debug for SchedulerParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SchedulerParts").field("scheduler", &self.scheduler).finish_non_exhaustive()
    }
}

impl SchedulerParts {
    /// That of a configuration; `None` where it switches it off.
    ///
    /// # Errors
    /// A value that cannot be used, by key and line.
    pub(crate) fn new(
        loaded: &LoadedConfig<HaftConfig>,
        redactor: &Shared<SecretRedactor>,
    ) -> Result<Option<Self>, LoadError> {
        if !loaded.config.scheduler.enabled {
            return Ok(None);
        }
        let policy = Shared::new(compile(loaded)?);
        let scheduler = over(loaded, policy.clone())?;
        let digest = Shared::new(policy_digest(&loaded.config));
        Ok(Some(Self { scheduler, policy, digest, redactor: Arc::new(redactor.clone()) }))
    }

    pub(crate) fn executors(&self, foresight: &Arc<StackForesight>) -> Vec<DynExecutor> {
        SchedulerTools::new(self.scheduler.clone(), Arc::clone(&self.redactor))
            .under(self.digest.clone())
            .foreseeing(Arc::clone(foresight) as Arc<dyn Foresight>)
            .into_executors()
    }
}

/// Foretells what becomes of calls that go through a stack.
#[derive(Debug, Default)]
pub(crate) struct StackForesight {
    stack: OnceLock<Weak<Stack>>,
    #[cfg(feature = "policy")]
    gates: OnceLock<Weak<tools_policy::Gates>>,
}

impl StackForesight {
    /// Tells it the stack, once that is made around the tools that ask.
    pub(crate) fn look_at(&self, stack: &Arc<Stack>) {
        let _ = self.stack.set(Arc::downgrade(stack));
    }

    /// Tells it the gates of that stack.
    #[cfg(feature = "policy")]
    pub(crate) fn judged_by(&self, gates: &Arc<tools_policy::Gates>) {
        let _ = self.gates.set(Arc::downgrade(gates));
    }
}

#[async_trait]
impl Foresight for StackForesight {
    async fn of(&self, call: ToolCall, cx: &CallContext) -> Prospect {
        let Some(stack) = self.stack.get().and_then(Weak::upgrade) else { return Prospect::Runs };
        let inv = stack.inspect(call, cx).await;
        if let Err(error) = inv.inspection() {
            use ToolErrorCategory as C;
            return match error.category() {
                C::ConfirmationRequired => Prospect::Asks(error.message().to_owned()),
                C::ToolNotFound | C::InvalidParameters | C::TypeMismatch | C::PolicyBlocked => {
                    Prospect::Fails(format!("{error} ({})", error.suggestion()))
                }
                // A server that is away now may be there when the task is due.
                _ => Prospect::Runs,
            };
        }
        #[cfg(feature = "policy")]
        if let Some(gates) = self.gates.get().and_then(Weak::upgrade) {
            let explained = gates.explain(&inv);
            match explained.verdict {
                tools_core::Verdict::Allow => {}
                tools_core::Verdict::Ask => return Prospect::Asks(explained.decided_by),
                tools_core::Verdict::Deny => return Prospect::Fails(explained.error.unwrap_or(explained.decided_by)),
            }
        }
        Prospect::Runs
    }
}

impl Part for SchedulerParts {
    fn compile(self: Arc<Self>, _: &HaftConfig, loaded: &LoadedConfig<HaftConfig>) -> Result<Swap, LoadError> {
        let (policy, digest) = (compile(loaded)?, policy_digest(&loaded.config));
        Ok(Box::new(move || {
            self.policy.store(policy);
            self.digest.store(digest);
        }))
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
    over(loaded, Shared::new(compile(loaded)?)).map(Some)
}

fn over(loaded: &LoadedConfig<HaftConfig>, policy: Shared<SchedulerPolicy>) -> Result<Scheduler, LoadError> {
    let store = loaded.config.scheduler.store(&state_dir()).map_err(|fault| loaded.fault_in(SECTION, fault))?;
    Ok(Scheduler::new(store, policy, Arc::new(SystemClock)))
}

fn compile(loaded: &LoadedConfig<HaftConfig>) -> Result<SchedulerPolicy, LoadError> {
    loaded.config.scheduler.compile().map_err(|fault| loaded.fault_in(SECTION, fault))
}
