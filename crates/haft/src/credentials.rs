//! Credentials: out of what models, people and the record are shown. The patterns that find them
//! can be others from one call to the next; what a session was shown keeps its name.

use std::sync::Arc;

use tools_core::{Announce, Layer, OptionalBoard, ReplaceableLayer, ServerName, SessionId, Shared};
use tools_secrets::{PatternError, SecretRedactor, SecretsLayer, SecretsMode, SecurityConfig};

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig},
    part::{Part, Swap},
};

/// What takes credentials out, and the layers that do.
#[derive(Debug)]
pub(crate) struct Credentials {
    announce: ReplaceableLayer,
    layer: ReplaceableLayer,
    redactor: Shared<SecretRedactor>,
}

impl Credentials {
    /// Those of a configuration, at this server where it is one of several.
    ///
    /// # Errors
    /// A pattern of the operator's that cannot be used.
    pub(crate) fn new(loaded: &LoadedConfig<HaftConfig>, server: Option<ServerName>) -> Result<Self, LoadError> {
        let security = security(&loaded.config);
        let found = security.redactor().map_err(|error| fault(loaded, error))?.at_server(server);
        let live = Shared::new(found.clone());
        Ok(Self {
            announce: ReplaceableLayer::new(announce(security.mode(), &live)),
            layer: ReplaceableLayer::new(SecretsLayer::new(found, security.mode())),
            redactor: live,
        })
    }

    /// By the patterns that are in force when a text comes.
    #[cfg(any(
        feature = "shell",
        feature = "file",
        feature = "audit",
        feature = "memory",
        feature = "scheduler",
        feature = "skills"
    ))]
    pub(crate) fn redactor(&self) -> &Shared<SecretRedactor> {
        &self.redactor
    }

    /// As it is now: its book of placeholders stays the same when patterns change.
    pub(crate) fn now(&self) -> SecretRedactor {
        self.redactor.load().as_ref().clone()
    }

    /// The layer that announces calls, which must not tell a credential.
    pub(crate) fn announce(&self) -> Arc<dyn Layer> {
        Arc::new(self.announce.clone())
    }

    /// The layer that takes them out of results and puts them back into parameters.
    pub(crate) fn layer(&self) -> Arc<dyn Layer> {
        Arc::new(self.layer.clone())
    }
}

impl Part for Credentials {
    fn compile(self: Arc<Self>, _: &HaftConfig, loaded: &LoadedConfig<HaftConfig>) -> Result<Swap, LoadError> {
        let security = security(&loaded.config);
        let extra = security.compile().map_err(|error| fault(loaded, error))?;
        Ok(Box::new(move || {
            // The same book of placeholders: what a session was shown keeps its name.
            let redactor = self.now().with_extra(extra);
            self.redactor.store(redactor.clone());
            self.announce.replace(announce(security.mode(), &self.redactor));
            self.layer.replace(SecretsLayer::new(redactor, security.mode()));
        }))
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

fn announce(mode: SecretsMode, redactor: &Shared<SecretRedactor>) -> Announce {
    let announce = Announce::default().showing_on(board(redactor));
    match mode {
        SecretsMode::Redact => announce.redacting(Arc::new(redactor.clone())),
        SecretsMode::Warn | SecretsMode::Off => announce,
    }
}

/// Where people see what runs, without its credentials.
pub(crate) fn board(redactor: &Shared<SecretRedactor>) -> OptionalBoard {
    #[cfg(feature = "approvals")]
    {
        let shown = tools_approvals::Activities::new(crate::watch_folder(), Arc::new(redactor.clone()));
        OptionalBoard::new(Arc::new(shown))
    }
    #[cfg(not(feature = "approvals"))]
    {
        let _ = redactor;
        OptionalBoard::default()
    }
}
