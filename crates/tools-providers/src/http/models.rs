//! The models of a program, by name: the configured ones and those of the host.

use std::{fmt, sync::Arc};

use tools_core::KeyFault;

use super::{KeyReader, LlmConfig};
use crate::Provider;

/// Models by name. Opening them sends no request and reads no key.
pub struct Models(Vec<Arc<dyn Provider>>);

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|provider| provider.name())).finish()
    }
}

impl Models {
    /// Opens every configured model after those of the host, which replace configured ones with the
    /// same name. `command` creates the reader of a key that a command prints.
    ///
    /// # Errors
    /// The first invalid value.
    pub fn open(
        config: &LlmConfig,
        own: Vec<Arc<dyn Provider>>,
        command: fn(Vec<String>) -> KeyReader,
    ) -> Result<Self, KeyFault> {
        config.check()?;
        let mut models = own;
        for provider in &config.providers {
            let printed = (!provider.key_command.is_empty()).then(|| command(provider.key_command.clone()));
            models.push(Arc::new(provider.open(printed)?));
        }
        Ok(Self(models))
    }

    /// The model with this name; `None` if there is none.
    pub fn named(&self, name: &str) -> Option<Arc<dyn Provider>> {
        self.0.iter().find(|provider| provider.name() == name).cloned()
    }

    /// The model that a configuration key names; the agent's if the name is empty.
    pub fn of(&self, config: &LlmConfig, name: &str) -> Option<Arc<dyn Provider>> {
        match [name, &config.provider].into_iter().find(|name| !name.is_empty()) {
            Some(name) => self.named(name),
            None => self.0.first().cloned(),
        }
    }
}
