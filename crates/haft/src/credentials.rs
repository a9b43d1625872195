//! Credentials: out of what models, people and the record are shown.

use std::sync::Arc;

use tools_core::{OptionalBoard, ServerName, SessionId, Shared};
use tools_secrets::{LiveSecrets, PatternError, SecretRedactor, SecurityConfig};

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig},
    part::{Part, Swap},
};

/// Those of a configuration, at this server where it is one of several.
///
/// # Errors
/// A pattern of the operator's that cannot be used.
pub(crate) fn live(loaded: &LoadedConfig<HaftConfig>, server: Option<ServerName>) -> Result<LiveSecrets, LoadError> {
    LiveSecrets::new(&security(&loaded.config), server, board).map_err(|error| fault(loaded, error))
}

impl Part for LiveSecrets {
    fn compile(self: Arc<Self>, _: &HaftConfig, loaded: &LoadedConfig<HaftConfig>) -> Result<Swap, LoadError> {
        let compiled = Self::compile(&self, &security(&loaded.config));
        Ok(Box::new(compiled.map_err(|error| fault(loaded, error))?))
    }

    fn forget(&self, session: &SessionId) {
        self.now().forget(session);
    }
}

/// How credentials are found and what becomes of them.
pub(crate) fn security(config: &HaftConfig) -> SecurityConfig {
    #[cfg(feature = "filter")]
    return config.tools.filters.security.clone();
    #[cfg(not(feature = "filter"))]
    {
        let _ = config;
        SecurityConfig::default()
    }
}

pub(crate) fn fault(loaded: &LoadedConfig<HaftConfig>, error: PatternError) -> LoadError {
    loaded.fault(&format!("tools.filters.security.extra_patterns[{}]", error.index), error.problem)
}

/// Where people see what runs, without its credentials.
pub(crate) fn board(redactor: &Shared<SecretRedactor>) -> OptionalBoard {
    #[cfg(feature = "approvals")]
    {
        let shown = tools_approvals::Activities::new(crate::watchers::watch_folder(), Arc::new(redactor.clone()));
        OptionalBoard::new(Arc::new(shown))
    }
    #[cfg(not(feature = "approvals"))]
    {
        let _ = redactor;
        OptionalBoard::default()
    }
}
