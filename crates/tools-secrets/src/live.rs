//! Credentials in a program that runs for long: the patterns that find them can be others from one
//! call to the next; what a session was shown keeps its name.

use std::sync::Arc;

use tools_core::{Announce, Layer, OptionalBoard, ReplaceableLayer, ServerName, Shared};

use crate::{PatternError, SecretRedactor, SecretsLayer, SecretsMode, SecurityConfig};

/// The finder of credentials and the layers that take them out, in step with their section.
#[derive(Debug, Clone)]
pub struct LiveSecrets {
    announce: ReplaceableLayer,
    layer: ReplaceableLayer,
    redactor: Shared<SecretRedactor>,
    board: Board,
}

/// Makes the board that shows what runs, over the redactor in force.
pub type Board = fn(&Shared<SecretRedactor>) -> OptionalBoard;

impl LiveSecrets {
    /// Those of a section, at this server where it is one of several. People see what runs on
    /// `board`.
    ///
    /// # Errors
    /// A pattern of the operator's that cannot be used.
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

    /// Finds by the patterns that are in force when a text comes.
    pub fn redactor(&self) -> &Shared<SecretRedactor> {
        &self.redactor
    }

    /// The finder as it is now: its book of placeholders stays the same when patterns change.
    pub fn now(&self) -> SecretRedactor {
        self.redactor.load().as_ref().clone()
    }

    /// The layer that announces calls, which must not tell a credential.
    pub fn announce(&self) -> Arc<dyn Layer> {
        Arc::new(self.announce.clone())
    }

    /// The layer that takes them out of results and puts them back into parameters.
    pub fn layer(&self) -> Arc<dyn Layer> {
        Arc::new(self.layer.clone())
    }

    /// Compiles another section without changing anything; what comes back puts it in force.
    ///
    /// # Errors
    /// A pattern of the operator's that cannot be used.
    pub fn compile(&self, config: &SecurityConfig) -> Result<impl FnOnce() + Send + use<>, PatternError> {
        let (extra, mode, live) = (config.compile()?, config.mode(), self.clone());
        Ok(move || {
            // The same book of placeholders: what a session was shown keeps its name.
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
