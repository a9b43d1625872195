//! Results that are served again, in a toolbox.

use std::sync::Arc;

use tools_cache::{CacheLayer, ToolResultCache};
use tools_core::{Layer, ReplaceableLayer, SessionId, Shared};

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig},
    part::{Part, Swap},
};

/// The cache and its layer.
#[derive(Debug)]
pub(crate) struct Cache {
    results: Shared<ToolResultCache>,
    layer: ReplaceableLayer,
}

impl Cache {
    pub(crate) fn new(config: &HaftConfig) -> Self {
        let results = Shared::new(ToolResultCache::new(&config.tools.result_cache));
        Self { layer: ReplaceableLayer::new(CacheLayer::new(results.load())), results }
    }

    pub(crate) fn results(&self) -> Arc<ToolResultCache> {
        self.results.load()
    }

    pub(crate) fn layer(&self) -> Arc<dyn Layer> {
        Arc::new(self.layer.clone())
    }
}

impl Part for Cache {
    fn compile(self: Arc<Self>, before: &HaftConfig, loaded: &LoadedConfig<HaftConfig>) -> Result<Swap, LoadError> {
        // Results were filtered and judged as it was configured then.
        let is_other = before.tools != loaded.config.tools;
        let config = loaded.config.tools.result_cache.clone();
        Ok(Box::new(move || {
            if is_other {
                self.results.store(ToolResultCache::new(&config));
                self.layer.replace(CacheLayer::new(self.results.load()));
            }
        }))
    }

    fn forget(&self, session: &SessionId) {
        self.results().forget(session);
    }
}
