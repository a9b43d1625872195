//! What a toolbox is made of: parts, each of which knows one section of the configuration and
//! follows its changes.

use std::{fmt, sync::Arc};

use tools_core::SessionId;

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
