//! Credentials: out of what models, people and the record are shown.

use std::sync::Arc;

use tools_core::{OptionalBoard, ServerName, Shared};
use tools_secrets::{LiveSecrets, PatternError, SecretRedactor, SecurityConfig};

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig},
    part::PartList,
};

/// Those of a configuration, at this server where it is one of several.
///
/// # Errors
/// A pattern of the operator's that cannot be used.
pub(crate) fn live(
    loaded: &LoadedConfig<HaftConfig>,
    server: Option<ServerName>,
    parts: &mut PartList,
) -> Result<Arc<LiveSecrets>, LoadError> {
    let live = LiveSecrets::new(&security(&loaded.config), server, board).map_err(|error| fault(loaded, error))?;
    let live = Arc::new(live);
    parts.layers.extend([live.announce(), live.layer()]);
    parts.forget(&live, |live, session| live.now().forget(session));
    let following = Arc::clone(&live);
    parts.follow(move |loaded| following.compile(&security(&loaded.config)).map_err(|error| fault(loaded, error)));
    Ok(live)
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
