//! Another configuration for a toolbox that runs: all of it is compiled before any of it counts.

use std::sync::{Arc, PoisonError};

use crate::{
    ReloadReport, Toolbox,
    config::{self, HaftConfig, LoadError, LoadedConfig},
    counts::merged,
    part::Swap,
    paths,
};

impl Toolbox {
    /// Puts another configuration in place, whole or not at all. Calls under way keep what they
    /// began with.
    ///
    /// Keys that count from the next start only keep their old values until then, and are named.
    ///
    /// # Errors
    /// The first section that cannot be compiled, by key and line: then everything stays as it was.
    pub fn reload(&self, loaded: &LoadedConfig<HaftConfig>) -> Result<ReloadReport, LoadError> {
        config::refuse(loaded.clone())?;
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let (config, report) = merged(&running, &loaded.config);
        let loaded = loaded.with(config);
        let swaps = self.compiled(&running, &loaded)?;
        for swap in swaps {
            swap();
        }
        *running = Arc::new(loaded.config);
        self.parts.relisted.notify_waiters();
        #[cfg(feature = "filter")]
        let report = ReloadReport { warnings: self.parts.filters.warnings.load().as_ref().clone(), ..report };
        Ok(report)
    }

    /// Every part, compiled from another configuration; nothing is changed.
    fn compiled(&self, before: &HaftConfig, loaded: &LoadedConfig<HaftConfig>) -> Result<Vec<Swap>, LoadError> {
        let shared = self.parts.shared.iter().map(|part| part.clone().compile(before, loaded));
        let mut swaps = shared.collect::<Result<Vec<_>, _>>()?;
        for set in self.parts.sets.in_use() {
            let own = set.roots.as_ref().map(|roots| loaded.with(paths::narrowed(&loaded.config, roots)));
            let own = own.as_ref().unwrap_or(loaded);
            for part in &set.parts {
                swaps.push(part.clone().compile(before, own)?);
            }
        }
        Ok(swaps)
    }
}
