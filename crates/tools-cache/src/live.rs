//! The cache of a program that runs for long: it begins anew under another configuration.

use std::sync::Arc;

use tools_core::{Layer, ReplaceableLayer, Shared};

use crate::{CacheConfig, CacheLayer, ToolResultCache};

/// A cache, and the layer in front of it.
#[derive(Debug)]
pub struct LiveCache {
    results: Shared<ToolResultCache>,
    layer: ReplaceableLayer,
}

impl LiveCache {
    /// An empty one of a section.
    pub fn new(config: &CacheConfig) -> Self {
        let results = Shared::new(ToolResultCache::new(config));
        Self { layer: ReplaceableLayer::new(CacheLayer::new(results.load())), results }
    }

    /// The results that are kept now.
    pub fn results(&self) -> Arc<ToolResultCache> {
        self.results.load()
    }

    /// The layer, which serves what is kept when a call comes.
    pub fn layer(&self) -> Arc<dyn Layer> {
        Arc::new(self.layer.clone())
    }

    /// Forgets everything, and goes on under another section.
    pub fn begin_anew(&self, config: &CacheConfig) {
        self.results.store(ToolResultCache::new(config));
        self.layer.replace(CacheLayer::new(self.results.load()));
    }
}
