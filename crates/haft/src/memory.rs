//! Memories in a toolbox: where they lie, who reads them, and which sessions have read text from
//! outside.

use std::sync::Arc;

use tools_core::{DynExecutor, Embedder, Redactor, Shared, SystemClock};
use tools_memory::{Memories, MemoryLayer, MemoryTools, TaintedSessions};
use tools_secrets::SecretRedactor;

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig, places::state_dir},
    credentials,
    part::PartList,
};

const SECTION: &str = "tools.memory";

/// The tools of a configuration; none where it switches them off. What a session reads from outside
/// is noted, until it ends.
///
/// # Errors
/// A value that cannot be used, by key and line.
pub(crate) fn tools(
    loaded: &LoadedConfig<HaftConfig>,
    redactor: &Shared<SecretRedactor>,
    embedder: Option<Arc<dyn Embedder>>,
    parts: &mut PartList,
) -> Result<Vec<DynExecutor>, LoadError> {
    let Some(memories) = open(loaded, Arc::new(redactor.clone()), parts)? else { return Ok(vec![]) };
    let memories = match embedder {
        Some(embedder) => memories.embedded_by(embedder),
        None => memories,
    };
    let taint = TaintedSessions::default();
    parts.layers.push(Arc::new(MemoryLayer::new(taint.clone())));
    parts.forget(&Arc::new(taint.clone()), TaintedSessions::forget);
    let tools = MemoryTools::new(memories, taint);
    #[cfg(feature = "agent")]
    let tools =
        tools.with_conversations(Arc::new(tools_agent::sessions::SaidBefore::new(crate::saved_sessions(loaded)?)));
    Ok(tools.into_executors())
}

/// The memories of a configuration, for an operator, who sees those of every project; `None` where
/// they are switched off. The file is opened when it is first used.
///
/// # Errors
/// A value that cannot be used, by key and line.
pub fn memories(loaded: &LoadedConfig<HaftConfig>) -> Result<Option<Memories>, LoadError> {
    let security = credentials::security(&loaded.config);
    let redactor = security.redactor().map_err(|error| credentials::fault(loaded, error))?;
    open(loaded, Arc::new(redactor), &mut PartList::default())
}

fn open(
    loaded: &LoadedConfig<HaftConfig>,
    redactor: Arc<dyn Redactor>,
    parts: &mut PartList,
) -> Result<Option<Memories>, LoadError> {
    let config = &loaded.config.tools.memory;
    if !config.enabled {
        return Ok(None);
    }
    let policy = parts.policy(loaded, SECTION, |loaded| loaded.config.tools.memory.compile())?;
    let store = config.store(&state_dir()).map_err(|fault| loaded.fault_in(SECTION, fault))?;
    Ok(Some(Memories::new(store, policy, redactor, Arc::new(SystemClock))))
}
