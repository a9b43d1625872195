//! A part of a toolbox that is a policy and no more.

use std::{fmt, sync::Arc};

use tools_core::{KeyFault, Shared};

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig},
    part::{Part, Swap},
};

/// How a policy is compiled from its section.
type Compile<P> = fn(&HaftConfig) -> Result<P, KeyFault>;

/// A part that is a policy and no more: compiled from its section, and swapped.
pub(crate) struct Live<P> {
    policy: Shared<P>,
    section: &'static str,
    compile: Compile<P>,
}

impl<P> Live<P> {
    /// The policy of a section.
    ///
    /// # Errors
    /// A value that cannot be used, by key and line.
    pub(crate) fn new(
        loaded: &LoadedConfig<HaftConfig>,
        section: &'static str,
        compile: Compile<P>,
    ) -> Result<Arc<Self>, LoadError> {
        let policy = compile(&loaded.config).map_err(|fault| loaded.fault_in(section, fault))?;
        Ok(Arc::new(Self { policy: Shared::new(policy), section, compile }))
    }

    /// The policy in force, shared with the code that decides by it.
    pub(crate) fn policy(&self) -> Shared<P> {
        self.policy.clone()
    }
}

impl<P: Send + Sync + 'static> Part for Live<P> {
    fn compile(self: Arc<Self>, _: &HaftConfig, loaded: &LoadedConfig<HaftConfig>) -> Result<Swap, LoadError> {
        let policy = (self.compile)(&loaded.config).map_err(|fault| loaded.fault_in(self.section, fault))?;
        Ok(Box::new(move || self.policy.store(policy)))
    }
}

impl<P> fmt::Debug for Live<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Live").field(&self.section).finish()
    }
}
