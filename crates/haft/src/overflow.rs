//! Long output in a toolbox: its store, and the layer that shortens it.

use std::sync::Arc;

use tools_core::{DynExecutor, Layer, ReplaceableLayer};
use tools_overflow::{Archive, OverflowConfig, OverflowLayer, ReadOverflow};

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig, places::state_dir},
    part::{Part, Swap},
};

/// The store, and the layer in front of it.
#[derive(Debug)]
pub(crate) struct Overflow {
    archive: Option<Archive>,
    layer: ReplaceableLayer,
}

impl Overflow {
    /// That of a configuration.
    ///
    /// # Errors
    /// As [`overflow_archive`].
    pub(crate) fn new(loaded: &LoadedConfig<HaftConfig>) -> Result<Self, LoadError> {
        let archive = overflow_archive(loaded)?;
        let layer = ReplaceableLayer::new(layer(&loaded.config.tools.overflow, archive.as_ref()));
        Ok(Self { archive, layer })
    }

    /// The store; `None` when it is off.
    pub(crate) fn archive(&self) -> Option<&Archive> {
        self.archive.as_ref()
    }

    pub(crate) fn layer(&self) -> Arc<dyn Layer> {
        Arc::new(self.layer.clone())
    }

    /// The tool that reads on; `None` where nothing is stored.
    pub(crate) fn executor(&self) -> Option<DynExecutor> {
        self.archive.clone().map(|archive| DynExecutor::new(ReadOverflow::new(archive).into_executor()))
    }
}

impl Part for Overflow {
    fn compile(self: Arc<Self>, _: &HaftConfig, loaded: &LoadedConfig<HaftConfig>) -> Result<Swap, LoadError> {
        let config = loaded.config.tools.overflow.clone();
        Ok(Box::new(move || {
            let archive = self.archive.as_ref().map(|archive| archive.limited(&config.held()));
            self.layer.replace(layer(&config, archive.as_ref()));
        }))
    }
}

/// The store of long output under a configuration, which is opened when it is first used; `None`
/// when it is off.
///
/// # Errors
/// When `tools.overflow.database` is no address that this program can use.
pub fn overflow_archive(loaded: &LoadedConfig<HaftConfig>) -> Result<Option<Archive>, LoadError> {
    let archive = loaded.config.tools.overflow.archive(&state_dir());
    archive.map_err(|fault| loaded.fault_in("tools.overflow", fault))
}

/// The layer that stores and shortens. Lines that report a failure are shown wherever they stand.
fn layer(config: &OverflowConfig, archive: Option<&Archive>) -> OverflowLayer {
    #[cfg(feature = "filter")]
    let pin = tools_filter::failing_lines;
    #[cfg(not(feature = "filter"))]
    let pin = |_: &str| Vec::new();
    OverflowLayer::new(archive.cloned(), config.threshold, pin)
}
