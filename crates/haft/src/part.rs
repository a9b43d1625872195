//! What a toolbox is made of: parts, each of which knows one section of the configuration and
//! follows its changes.

use std::{fmt, sync::Arc};

use tools_core::{KeyFault, SessionId, Shared};

use crate::config::{HaftConfig, LoadError, LoadedConfig};

/// Puts in force what was compiled. It cannot fail.
pub(crate) type Swap = Box<dyn FnOnce() + Send>;

/// A part of a toolbox. A reload compiles all of them before it swaps one.
pub(crate) trait Part: fmt::Debug + Send + Sync {
    /// Compiles its section of another configuration without changing anything; `before` is what is
    /// in force.
    ///
    /// # Errors
    /// A value that cannot be used, by key and line.
    fn compile(self: Arc<Self>, before: &HaftConfig, loaded: &LoadedConfig<HaftConfig>) -> Result<Swap, LoadError>;

    /// Forgets a session that has ended.
    fn forget(&self, session: &SessionId) {
        let _ = session;
    }
}

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

    /// The policy in force, for whoever decides by it.
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
