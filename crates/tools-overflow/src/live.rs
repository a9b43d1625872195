//! Long output in a long-running program: its limits follow the configuration.

use std::sync::Arc;

use tools_core::{DynExecutor, Layer, ReplaceableLayer};

use crate::{Archive, OverflowConfig, OverflowLayer, Pin, ReadOverflow};

/// A store, and the layer that uses it.
#[derive(Debug)]
pub struct LiveOverflow {
    archive: Option<Archive>,
    layer: ReplaceableLayer,
    pin: Pin,
}

impl LiveOverflow {
    /// The layer of a section over the store that it names. Lines that `pin` selects are shown
    /// wherever they are.
    pub fn new(config: &OverflowConfig, archive: Option<Archive>, pin: Pin) -> Self {
        let layer = ReplaceableLayer::new(OverflowLayer::new(archive.clone(), config.threshold, pin));
        Self { archive, layer, pin }
    }

    /// The store; `None` when it is off.
    pub fn archive(&self) -> Option<&Archive> {
        self.archive.as_ref()
    }

    /// The layer that stores and shortens.
    pub fn layer(&self) -> Arc<dyn Layer> {
        Arc::new(self.layer.clone())
    }

    /// The tool that reads stored output; `None` when nothing is stored.
    pub fn executor(&self) -> Option<DynExecutor> {
        self.archive.clone().map(|archive| DynExecutor::new(ReadOverflow::new(archive).into_executor()))
    }

    /// Applies the limits of another section; the store stays.
    pub fn follow(&self, config: &OverflowConfig) {
        let archive = self.archive.as_ref().map(|archive| archive.limited(&config.held()));
        self.layer.replace(OverflowLayer::new(archive, config.threshold, self.pin));
    }
}
