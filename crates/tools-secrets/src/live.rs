//! Credentials in a long-running program: the patterns may change from one call to the next;
//! placeholders shown to a session stay valid.

use std::sync::Arc;

use tools_core::{Announce, Layer, OptionalBoard, ReplaceableLayer, ServerName, Shared};

use crate::{PatternError, SecretRedactor, SecretsLayer, SecretsMode, SecurityConfig};

/// The redactor and the layers that use it, kept in step with their configuration section.
#[derive(Debug, Clone)]
pub struct LiveSecrets {
    announce: ReplaceableLayer,
    layer: ReplaceableLayer,
    redactor: Shared<SecretRedactor>,
    board: Board,
}

/// Creates the board of running calls over the current redactor.
pub type Board = fn(&Shared<SecretRedactor>) -> OptionalBoard;

impl LiveSecrets {
    /// The redactor and layers of a section, at this server if there are several. `board` shows
    /// running calls to people.
    ///
    /// # Errors
    /// When a pattern of the operator is unusable.
    pub fn new(config: &SecurityConfig, server: Option<ServerName>, board: Board) -> Result<Self, PatternError> {
        let found = config.redactor()?.at_server(server);
        let live = Shared::new(found.clone());
        Ok(Self {
            announce: ReplaceableLayer::new(announce(config.mode(), &live, board)),
            layer: ReplaceableLayer::new(SecretsLayer::new(found, config.mode())),
            redactor: live,
            board,
        })
    }

    /// The redactor, which uses the patterns in force when a text arrives.
    pub fn redactor(&self) -> &Shared<SecretRedactor> {
        &self.redactor
    }

    /// The current redactor. Its placeholders survive changes of the patterns.
    pub fn now(&self) -> SecretRedactor {
        self.redactor.load().as_ref().clone()
    }

    /// The layer that announces calls, without credentials.
    pub fn announce(&self) -> Arc<dyn Layer> {
        Arc::new(self.announce.clone())
    }

    /// The layer that removes credentials from results and restores them in parameters.
    pub fn layer(&self) -> Arc<dyn Layer> {
        Arc::new(self.layer.clone())
    }

    /// Compiles another section without changing anything; calling the result applies it.
    ///
    /// # Errors
    /// When a pattern of the operator is unusable.
    pub fn compile(&self, config: &SecurityConfig) -> Result<impl FnOnce() + Send + use<>, PatternError> {
        let (extra, mode, live) = (config.compile()?, config.mode(), self.clone());
        Ok(move || {
            // The same placeholders, so those shown to a session stay valid.
            let redactor = live.now().with_extra(extra);
            live.redactor.store(redactor.clone());
            live.announce.replace(announce(mode, &live.redactor, live.board));
            live.layer.replace(SecretsLayer::new(redactor, mode));
        })
    }
}

fn announce(mode: SecretsMode, redactor: &Shared<SecretRedactor>, board: Board) -> Announce {
    let announce = Announce::default().showing_on(board(redactor));
    match mode {
        SecretsMode::Redact => announce.redacting(Arc::new(redactor.clone())),
        SecretsMode::Warn | SecretsMode::Off => announce,
    }
}
