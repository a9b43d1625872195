//! Stores of a configuration, for tools and for operators. Each is opened at its first use.

use crate::config::{LoadError, LoadedConfig, places::state_dir};
#[cfg(any(feature = "memory", feature = "scheduler"))]
use crate::part::PartMaker;

/// The store of long output; `None` if it is disabled.
///
/// # Errors
/// If `tools.overflow.database` is not an address that this program can use.
#[cfg(feature = "overflow")]
pub fn overflow_archive(loaded: &LoadedConfig) -> Result<Option<tools_overflow::Archive>, LoadError> {
    let archive = loaded.config.tools.overflow.archive(&state_dir());
    archive.map_err(|fault| loaded.fault_in("tools.overflow", fault))
}

/// The saved conversations: in the state folder of this user, where no tool reads, or in a
/// database.
///
/// # Errors
/// If `agent.sessions.database` is not an address that this program can use.
#[cfg(feature = "agent")]
pub fn saved_sessions(loaded: &LoadedConfig) -> Result<tools_agent::sessions::Sessions, LoadError> {
    let config = &loaded.config.agent.sessions;
    let fault = |fault| loaded.fault_in("agent.sessions", fault);
    #[cfg(feature = "postgres")]
    if let Some(shared) = tools_team::sessions::shared(config).map_err(fault)? {
        return Ok(shared);
    }
    config.in_folder(state_dir().join("sessions")).map_err(fault)
}

/// The memories of every project; `None` if they are disabled.
///
/// # Errors
/// A value that cannot be used, by key and line.
#[cfg(feature = "memory")]
pub fn memories(loaded: &LoadedConfig) -> Result<Option<tools_memory::Memories>, LoadError> {
    let redactor = loaded.config.security().redactor();
    let redactor = redactor.map_err(|error| loaded.fault_in(crate::layers::SECURITY, error.fault()))?;
    let memories = loaded.config.tools.memory.open(&state_dir(), std::sync::Arc::new(redactor));
    memories.map_err(|fault| loaded.fault_in("tools.memory", fault))
}

/// The scheduled tasks; `None` if they are disabled.
///
/// # Errors
/// A value that cannot be used, by key and line.
#[cfg(feature = "scheduler")]
pub fn schedule(loaded: &LoadedConfig) -> Result<Option<tools_scheduler::Scheduler>, LoadError> {
    loaded.config.scheduler.open(&state_dir()).map_err(|fault| loaded.fault_in("scheduler", fault))
}

#[cfg(any(feature = "memory", feature = "scheduler"))]
impl PartMaker<'_> {
    /// The tools for memories; none if they are disabled. They note what a session reads from
    /// outside until it ends.
    #[cfg(feature = "memory")]
    pub(crate) fn memory_tools(
        &mut self,
        embedder: Option<std::sync::Arc<dyn tools_core::Embedder>>,
    ) -> Result<Vec<tools_core::DynExecutor>, LoadError> {
        use std::sync::Arc;

        use tools_memory::{MemoryLayer, MemoryTools, TaintedSessions};
        let section = "tools.memory";
        let memories = self.config.tools.memory.open(&state_dir(), self.redactor());
        let memories = memories.map_err(|fault| self.loaded.fault_in(section, fault))?;
        let Some(memories) = memories else { return Ok(vec![]) };
        self.list.live.renew(memories.live_policy(), section, |loaded| loaded.config.tools.memory.compile());
        let memories = match embedder {
            Some(embedder) => memories.embedded_by(embedder),
            None => memories,
        };
        let taint = TaintedSessions::default();
        self.list.layers.push(Arc::new(MemoryLayer::new(taint.clone())));
        self.list.ends.register(&Arc::new(taint.clone()), TaintedSessions::forget);
        let tools = MemoryTools::new(memories, taint);
        #[cfg(feature = "agent")]
        let tools = {
            let said = tools_agent::sessions::SavedConversations::new(saved_sessions(self.loaded)?);
            tools.with_conversations(Arc::new(said))
        };
        Ok(tools.into_executors())
    }

    /// The tools for tasks; `None` if they are disabled. They store `digest`, the digest of the
    /// rules in force.
    #[cfg(feature = "scheduler")]
    pub(crate) fn scheduler_tools(
        &mut self,
        digest: &tools_core::Shared<String>,
    ) -> Result<Option<tools_scheduler::SchedulerTools>, LoadError> {
        let Some(scheduler) = schedule(self.loaded)? else { return Ok(None) };
        self.list.live.renew(scheduler.live_policy(), "scheduler", |loaded| loaded.config.scheduler.compile());
        Ok(Some(tools_scheduler::SchedulerTools::new(scheduler, self.redactor()).under(digest.clone())))
    }
}
