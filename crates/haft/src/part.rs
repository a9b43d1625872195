//! What a toolbox is made of: parts, each of which knows one section of the configuration. A part
//! brings layers, follows other configurations, and forgets sessions that have ended.

use std::{fmt, sync::Arc};

use tools_core::{Layer, SessionId};

use crate::config::{HaftConfig, LoadError, LoadedConfig};

/// Puts in force what was compiled. It cannot fail.
pub(crate) type Swap = Box<dyn FnOnce() + Send>;

/// Compiles the section of another configuration without changing anything. The first one is that
/// in force.
type Compile = dyn Fn(&HaftConfig, &LoadedConfig<HaftConfig>) -> Result<Swap, LoadError> + Send + Sync;

/// Forgets what is kept of a session.
type Forget = dyn Fn(&SessionId) + Send + Sync;

/// What the parts of a toolbox do beside their main work, in the order in which they were made:
/// what others ask comes before them.
#[derive(Default)]
pub(crate) struct PartList {
    /// Layers, whose places are the business of `stack.rs`.
    pub(crate) layers: Vec<Arc<dyn Layer>>,
    compile: Vec<Box<Compile>>,
    forget: Vec<Box<Forget>>,
}

impl PartList {
    /// Has a part follow other configurations.
    pub(crate) fn follow<F: FnOnce() + Send + 'static>(
        &mut self,
        compile: impl Fn(&HaftConfig, &LoadedConfig<HaftConfig>) -> Result<F, LoadError> + Send + Sync + 'static,
    ) {
        self.compile.push(Box::new(move |before, loaded| Ok(Box::new(compile(before, loaded)?))));
    }

    /// A policy that is compiled from a section, now and from each one that follows.
    ///
    /// # Errors
    /// A value that cannot be used, by key and line.
    #[cfg(any(
        feature = "audit",
        feature = "code",
        feature = "diagnostics",
        feature = "memory",
        feature = "retry",
        feature = "scheduler",
        feature = "web"
    ))]
    pub(crate) fn policy<P: Send + Sync + 'static>(
        &mut self,
        loaded: &LoadedConfig<HaftConfig>,
        section: &'static str,
        compile: impl Fn(&HaftConfig) -> Result<P, tools_core::KeyFault> + Send + Sync + 'static,
    ) -> Result<tools_core::Shared<P>, LoadError> {
        let compile = move |loaded: &LoadedConfig<HaftConfig>| {
            compile(&loaded.config).map_err(|fault| loaded.fault_in(section, fault))
        };
        let policy = tools_core::Shared::new(compile(loaded)?);
        let live = policy.clone();
        self.follow(move |_, loaded| {
            let (live, new) = (live.clone(), compile(loaded)?);
            Ok(move || live.store(new))
        });
        Ok(policy)
    }

    /// Has a part hear of the end of sessions.
    pub(crate) fn forget<P: Send + Sync + ?Sized + 'static>(&mut self, part: &Arc<P>, forget: fn(&P, &SessionId)) {
        let part = Arc::clone(part);
        self.forget.push(Box::new(move |session| forget(&part, session)));
    }

    /// What puts another configuration in force; nothing is changed yet.
    ///
    /// # Errors
    /// The first section that cannot be compiled, by key and line.
    pub(crate) fn compiled(
        &self,
        before: &HaftConfig,
        loaded: &LoadedConfig<HaftConfig>,
    ) -> Result<Vec<Swap>, LoadError> {
        self.compile.iter().map(|compile| compile(before, loaded)).collect()
    }

    /// Tells all parts that a session has ended.
    pub(crate) fn end(&self, session: &SessionId) {
        self.forget.iter().for_each(|forget| forget(session));
    }
}

impl fmt::Debug for PartList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.layers.iter().map(|layer| layer.name()).collect();
        f.debug_struct("PartList").field("layers", &names).finish_non_exhaustive()
    }
}
