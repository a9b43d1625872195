//! Another configuration for a toolbox that runs: all of it is compiled before any of it counts.

use std::sync::Arc;

use tools_core::Locked as _;

use crate::Toolbox;
use crate::config::{self, LoadError, LoadedConfig, ReloadReport, Swap, merged, paths};
#[cfg(feature = "watch")]
use crate::config::{ConfigUser, ConfigWatch};

impl Toolbox {
    /// Puts another configuration in place, whole or not at all. Calls under way keep what they
    /// began with.
    ///
    /// Keys that count from the next start only keep their old values until then, and are named.
    ///
    /// # Errors
    /// The first section that cannot be compiled, by key and line: then everything stays as it was.
    pub fn reload(&self, loaded: &LoadedConfig) -> Result<ReloadReport, LoadError> {
        config::refuse(loaded.clone())?;
        let mut running = self.inner.running.locked();
        let (config, report) = merged(&running, &loaded.config);
        let loaded = loaded.with(config);
        let swaps = self.compiled(&loaded)?;
        for swap in swaps {
            swap();
        }
        *running = Arc::new(loaded.config);
        self.inner.relisted.notify_waiters();
        #[cfg(feature = "filter")]
        let report = ReloadReport { warnings: self.parts().filters.warnings.load().as_ref().clone(), ..report };
        Ok(report)
    }

    /// Every part, compiled from another configuration; nothing is changed.
    fn compiled(&self, loaded: &LoadedConfig) -> Result<Vec<Swap>, LoadError> {
        let mut swaps = self.inner.shared.live.compiled(loaded)?;
        for set in self.inner.sets.all() {
            let own = set.roots.as_ref().map(|roots| loaded.with(paths::narrowed(&loaded.config, roots)));
            swaps.extend(set.parts.live.compiled(own.as_ref().unwrap_or(loaded))?);
        }
        Ok(swaps)
    }

    /// Reads the configuration file and its overlays again whenever one of them changes, until the
    /// watch is dropped; `None` when there is neither a file nor a place for overlays.
    ///
    /// A file that is broken leaves in force what was, and that is logged and told by
    /// [`Toolbox::last_reload`]. Only the file that was read at the start is looked after, where it
    /// lay then: no tool may change it, but one might make another. Where the kernel cannot keep
    /// commands from writing it (without a sandbox, and inside writable folders without
    /// namespaces), it is not looked after at all. Inside writable folders, what is put in its
    /// place counts from the next start only: a command that runs then may write it.
    #[cfg(feature = "watch")]
    pub fn watch(&self, environment: impl Fn(&str) -> Option<String> + Send + 'static) -> Option<ConfigWatch> {
        #[cfg(feature = "filter")]
        let rules = self.parts().filters.file.clone();
        #[cfg(not(feature = "filter"))]
        let rules = None;
        ConfigWatch::begin(&self.inner.loaded, rules, environment, self.clone())
    }
}

#[cfg(feature = "watch")]
impl ConfigUser for Toolbox {
    fn is_held(&self, place: &std::path::Path) -> bool {
        #[cfg(feature = "shell")]
        if let Some(Ok(strength)) = self.commands().map(|commands| commands.strength()) {
            use tools_sandbox::kernel::Level;
            return match strength.level {
                Level::Namespaces => true,
                Level::Landlock => !self.lies_among_writable(place),
                Level::Off => false,
            };
        }
        // Nothing runs.
        let _ = place;
        true
    }

    fn lies_among_writable(&self, place: &std::path::Path) -> bool {
        let place = place.canonicalize().unwrap_or_else(|_| place.to_owned());
        paths::writable(&self.config, self.workdir()).iter().any(|folder| place.starts_with(folder))
    }

    fn reload(&self, loaded: &LoadedConfig) -> Result<ReloadReport, LoadError> {
        Self::reload(self, loaded)
    }

    fn told(&self, state: config::ReloadState) {
        *self.inner.last_reload.locked() = Some(state);
    }
}
