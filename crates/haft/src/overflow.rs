//! Long output in a toolbox: where it is stored, that no tool reads it there (what is for one
//! conversation is for no other), and the layer that shortens it.

#[cfg(all(feature = "sqlite", any(feature = "shell", feature = "file")))]
use std::path::PathBuf;
use std::sync::Arc;

use tools_core::{DynExecutor, Layer, ReplaceableLayer};
use tools_overflow::{Archive, OverflowConfig, OverflowLayer, OverflowStore, ReadOverflow};

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig},
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
    #[cfg(feature = "mcp")]
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
            let archive = self.archive.as_ref().map(|archive| archive.limited(&held(&config)));
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
    let config = &loaded.config.tools.overflow;
    if !config.enabled {
        return Ok(None);
    }
    let store: Arc<dyn OverflowStore> = if config.database.is_empty() {
        local(config)
    } else {
        database(&config.database).map_err(|problem| loaded.fault("tools.overflow.database", problem))?
    };
    Ok(Some(Archive::new(store, &held(config))))
}

#[cfg(feature = "sqlite")]
fn local(config: &OverflowConfig) -> Arc<dyn OverflowStore> {
    Arc::new(tools_overflow::SqliteStore::at(crate::stores::file(&config.path)))
}

#[cfg(not(feature = "sqlite"))]
fn local(_: &OverflowConfig) -> Arc<dyn OverflowStore> {
    Arc::new(tools_overflow::MemoryStore::default())
}

/// The limits of the store: less is kept in memory than in a file.
fn held(config: &OverflowConfig) -> OverflowConfig {
    #[cfg(feature = "sqlite")]
    return config.clone();
    #[cfg(not(feature = "sqlite"))]
    {
        /// Most bytes that a process keeps of output, compressed.
        const MAX_IN_MEMORY: u64 = 128 << 20;
        let most = if config.max_total_bytes == 0 { MAX_IN_MEMORY } else { config.max_total_bytes.min(MAX_IN_MEMORY) };
        let in_memory = config.database.is_empty();
        OverflowConfig { max_total_bytes: if in_memory { most } else { config.max_total_bytes }, ..config.clone() }
    }
}

#[cfg(feature = "postgres")]
fn database(address: &str) -> Result<Arc<dyn OverflowStore>, String> {
    match tools_overflow::PostgresStore::at(address) {
        Ok(store) => Ok(Arc::new(store)),
        Err(error) => Err(std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string)),
    }
}

#[cfg(not(feature = "postgres"))]
fn database(_: &str) -> Result<Arc<dyn OverflowStore>, String> {
    Err("this build has no PostgreSQL; enable the feature `postgres`".to_owned())
}

/// The layer that stores and shortens. Lines that report a failure are shown wherever they stand.
fn layer(config: &OverflowConfig, archive: Option<&Archive>) -> OverflowLayer {
    #[cfg(feature = "filter")]
    let pin = tools_filter::reports_failure;
    #[cfg(not(feature = "filter"))]
    let pin = |_: &str| false;
    OverflowLayer::new(archive.cloned(), config.threshold, pin)
}

/// What no tool may read.
#[cfg(all(feature = "sqlite", any(feature = "shell", feature = "file")))]
pub(crate) fn private(config: &OverflowConfig) -> Vec<PathBuf> {
    if !config.enabled || !config.database.is_empty() {
        return vec![];
    }
    crate::stores::private(&config.path)
}
