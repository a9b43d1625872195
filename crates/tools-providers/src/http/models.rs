//! The models of a program, by name: the configured ones and those of the host.

use std::{fmt, sync::Arc};

use tools_core::KeyFault;

use super::{KeyReader, LlmConfig};
use crate::Provider;

/// Models by name. Opening one asks nothing and reads no key.
pub struct Models(Vec<Arc<dyn Provider>>);

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|provider| provider.name())).finish()
    }
}

impl Models {
    /// Every configured model behind those of the host, which stand in for configured ones of the
    /// same name. `command` makes what reads a key that a command prints.
    ///
    /// # Errors
    /// The first value that cannot be used.
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

    /// A model by its name; `None` when nobody has it.
    pub fn named(&self, name: &str) -> Option<Arc<dyn Provider>> {
        self.0.iter().find(|provider| provider.name() == name).cloned()
    }

    /// The model of a key that names one: the agent's where the key is empty.
    pub fn of(&self, config: &LlmConfig, name: &str) -> Option<Arc<dyn Provider>> {
        match [name, &config.provider].into_iter().find(|name| !name.is_empty()) {
            Some(name) => self.named(name),
            None => self.0.first().cloned(),
        }
    }
}
