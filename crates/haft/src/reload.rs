//! Replaces the configuration of a running toolbox. All of it is compiled before any of it applies.

use std::sync::Arc;

use tools_core::Locked as _;

use crate::Toolbox;
use crate::config::{self, LoadError, LoadedConfig, ReloadReport, Swap, merged, paths};
#[cfg(feature = "watch")]
use crate::config::{ConfigUser, ConfigWatch};

impl Toolbox {
    /// Puts another configuration in force, completely or not at all. Running calls keep the
    /// configuration they began with.
    ///
    /// Keys that apply from the next start only keep their old values until then; the report names
    /// them.
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

    /// Compiles every part from another configuration; changes nothing.
    fn compiled(&self, loaded: &LoadedConfig) -> Result<Vec<Swap>, LoadError> {
        let mut swaps = self.inner.shared.live.compiled(loaded)?;
        for set in self.inner.sets.all() {
            let own = set.roots.as_ref().map(|roots| loaded.with(paths::narrowed(&loaded.config, roots)));
            swaps.extend(set.parts.live.compiled(own.as_ref().unwrap_or(loaded))?);
        }
        Ok(swaps)
    }

    /// Watches the configuration file and its overlays and reloads them after each change, until
    /// the watch is dropped; `None` if there is neither a file nor a place for overlays.
    ///
    /// A broken file leaves the old configuration in force; it is logged and reported by
    /// [`Toolbox::last_reload`]. Only the file read at the start is watched, at its place at that
    /// time: no tool may change it, but one might create another. If the kernel cannot keep
    /// commands from writing it (without a sandbox, and inside writable folders without
    /// namespaces), it is not watched at all. Inside writable folders, a file put in its place
    /// applies from the next start only: a command that is running may write it.
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
        // Without commands, nothing can write the place.
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
