//! Memories in a toolbox: where they lie, who reads them, and which sessions have read text from
//! outside.

use std::sync::Arc;

use tools_core::{DynExecutor, Embedder, Layer, Redactor, SessionId, Shared, SystemClock};
use tools_memory::{Memories, MemoryLayer, MemoryPolicy, MemoryTools, TaintedSessions};
use tools_secrets::SecretRedactor;

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig, places::state_dir},
    credentials,
    live::Live,
};

const SECTION: &str = "tools.memory";

/// The memories, and what the tools and the layer share.
#[derive(Debug)]
pub(crate) struct MemoryParts {
    memories: Memories,
    pub(crate) policy: Arc<Live<MemoryPolicy>>,
    taint: TaintedSessions,
    #[cfg(feature = "agent")]
    sessions: tools_agent::sessions::Sessions,
}

impl MemoryParts {
    /// Those of a configuration; `None` where it switches them off.
    ///
    /// # Errors
    /// A value that cannot be used, by key and line.
    pub(crate) fn new(
        loaded: &LoadedConfig<HaftConfig>,
        redactor: &Shared<SecretRedactor>,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Result<Option<Self>, LoadError> {
        if !loaded.config.tools.memory.enabled {
            return Ok(None);
        }
        let policy = compile(loaded)?;
        let memories = over(loaded, policy.policy(), Arc::new(redactor.clone()))?;
        let memories = match embedder {
            Some(embedder) => memories.embedded_by(embedder),
            None => memories,
        };
        Ok(Some(Self {
            memories,
            policy,
            taint: TaintedSessions::default(),
            #[cfg(feature = "agent")]
            sessions: crate::saved_sessions(loaded)?,
        }))
    }

    pub(crate) fn executors(&self) -> Vec<DynExecutor> {
        let tools = MemoryTools::new(self.memories.clone(), self.taint.clone());
        #[cfg(feature = "agent")]
        let tools = tools.with_conversations(Arc::new(tools_agent::sessions::SaidBefore::new(self.sessions.clone())));
        tools.into_executors()
    }

    pub(crate) fn layer(&self) -> Arc<dyn Layer> {
        Arc::new(MemoryLayer::new(self.taint.clone()))
    }

    pub(crate) fn forget(&self, session: &SessionId) {
        self.taint.forget(session);
    }
}

/// The memories of a configuration, for an operator, who sees those of every project; `None` where
/// they are switched off. The file is opened when it is first used.
///
/// # Errors
/// A value that cannot be used, by key and line.
pub fn memories(loaded: &LoadedConfig<HaftConfig>) -> Result<Option<Memories>, LoadError> {
    if !loaded.config.tools.memory.enabled {
        return Ok(None);
    }
    let policy = compile(loaded)?.policy();
    let security = credentials::security(&loaded.config);
    let redactor = security.redactor().map_err(|error| credentials::fault(loaded, error))?;
    over(loaded, policy, Arc::new(redactor)).map(Some)
}

fn over(
    loaded: &LoadedConfig<HaftConfig>,
    policy: Shared<MemoryPolicy>,
    redactor: Arc<dyn Redactor>,
) -> Result<Memories, LoadError> {
    let store = loaded.config.tools.memory.store(&state_dir()).map_err(|fault| loaded.fault_in(SECTION, fault))?;
    Ok(Memories::new(store, policy, redactor, Arc::new(SystemClock)))
}

fn compile(loaded: &LoadedConfig<HaftConfig>) -> Result<Arc<Live<MemoryPolicy>>, LoadError> {
    Live::new(loaded, SECTION, |config| config.tools.memory.compile())
}
