//! Credentials: out of what models, people and the record are shown. The patterns that find them
//! can be others from one call to the next; what a session was shown keeps its name.

use std::{borrow::Cow, io::Read, ops::Range, path::Path, sync::Arc};

use serde_json::Value;
use tools_core::{Announce, Layer, OptionalBoard, Redactor, ServerName, SessionId, Shared};
use tools_secrets::{
    KnownValues, PatternError, SecretRedactor, SecretsLayer, SecretsMode, SecurityConfig, is_credential,
};

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig},
    part::{Part, Swap},
    replaceable::Replaceable,
};

/// Takes credentials out of text: the values of this process's own environment first, then whatever
/// has the shape of one, and what the operator's patterns match.
///
/// # Errors
/// The first of the operator's patterns that cannot be used.
pub fn redactor(config: &SecurityConfig) -> Result<SecretRedactor, PatternError> {
    Ok(SecretRedactor::default().knowing_later(environment).with_extra(config.compile()?))
}

/// What takes credentials out, and the layers that do.
#[derive(Debug)]
pub(crate) struct Credentials {
    announce: Replaceable,
    layer: Replaceable,
    redactor: LiveRedactor,
}

impl Credentials {
    /// Those of a configuration, at this server where it is one of several.
    ///
    /// # Errors
    /// A pattern of the operator's that cannot be used.
    pub(crate) fn new(loaded: &LoadedConfig<HaftConfig>, server: Option<ServerName>) -> Result<Self, LoadError> {
        let security = security(&loaded.config);
        let found = redactor(&security).map_err(|error| fault(loaded, error))?.at_server(server);
        let live = LiveRedactor(Shared::new(found.clone()));
        Ok(Self {
            announce: Replaceable::new(announce(security.mode(), &live)),
            layer: Replaceable::new(SecretsLayer::new(found, security.mode())),
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
    pub(crate) fn redactor(&self) -> &LiveRedactor {
        &self.redactor
    }

    /// As it is now: its book of placeholders stays the same when patterns change.
    pub(crate) fn now(&self) -> SecretRedactor {
        self.redactor.0.load().as_ref().clone()
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
            self.redactor.0.store(redactor.clone());
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

fn announce(mode: SecretsMode, redactor: &LiveRedactor) -> Announce {
    let announce = Announce::default().showing_on(board(redactor));
    match mode {
        SecretsMode::Redact => announce.redacting(Arc::new(redactor.clone())),
        SecretsMode::Warn | SecretsMode::Off => announce,
    }
}

/// Where people see what runs, without its credentials.
pub(crate) fn board(redactor: &LiveRedactor) -> OptionalBoard {
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

/// Takes credentials out of text by the patterns that are in force when the text comes.
#[derive(Debug, Clone)]
pub(crate) struct LiveRedactor(Shared<SecretRedactor>);

impl Redactor for LiveRedactor {
    fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.0.load().redact(text)
    }

    fn reading<'a>(&self, session: &SessionId, origin: &Path, text: Box<dyn Read + 'a>) -> Box<dyn Read + 'a> {
        self.0.load().reading(session, origin, text)
    }

    fn credentials(&self, session: &SessionId, origin: &Path, text: &str) -> Vec<Range<usize>> {
        self.0.load().credentials(session, origin, text)
    }

    fn in_session(&self, session: &SessionId) -> Option<Arc<dyn Redactor>> {
        self.0.load().in_session(session)
    }

    fn redact_json(&self, value: &Value) -> Value {
        self.0.load().redact_json(value)
    }
}

/// The credentials in this process's own environment.
fn environment() -> KnownValues {
    let variables =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let secret = variables.filter(|(name, value)| is_credential(name, value) && !is_word(name, value));
    KnownValues::new(secret.map(|(_, value)| value))
}

/// `AUTH=disabled`: a word that stands in many texts. Only a password may be one.
fn is_word(name: &str, value: &str) -> bool {
    let is_plain = value.len() <= 16 && value.bytes().all(|byte| byte.is_ascii_lowercase());
    is_plain && !name.to_ascii_lowercase().contains("pass")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_no_known_value() {
        for (name, value, expected) in [
            ("AUTH", "disabled", true),
            ("DB_PASSWORD", "disabled", false),
            ("TOKEN", "a1b2c3d4e5", false),
            ("KEY", "Production", false),
        ] {
            assert_eq!(is_word(name, value), expected, "{name}={value}");
        }
    }
}
