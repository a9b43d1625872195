//! The models of a toolbox: the configured ones and those of the host, by name.

use std::sync::Arc;

use tools_providers::{Key, KeyReader, Provider};
use tools_sandbox::process::printed;

use crate::{
    Toolbox,
    config::{HaftConfig, LoadError, LoadedConfig},
    part::{Part, Swap},
};

/// The models, opened at the start. Opening one asks nothing and reads no key.
pub(crate) struct Models {
    /// Those of the host first: they stand in for configured ones of the same name.
    providers: Vec<Arc<dyn Provider>>,
}

impl std::fmt::Debug for Models {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.providers.iter().map(|provider| provider.name())).finish()
    }
}

impl Models {
    /// Opens every configured provider.
    ///
    /// # Errors
    /// The first value that cannot be used, and a name that no provider has.
    pub(crate) fn new(loaded: &LoadedConfig<HaftConfig>, own: Vec<Arc<dyn Provider>>) -> Result<Self, LoadError> {
        let llm = &loaded.config.llm;
        let fault = |fault| loaded.fault_in("llm", fault);
        llm.check().map_err(fault)?;
        let mut models = Self { providers: own };
        for config in &llm.providers {
            let command = (!config.key_command.is_empty()).then(|| printed_by(config.key_command.clone()));
            models.providers.push(Arc::new(config.open(command).map_err(fault)?));
        }
        models.check(loaded)?;
        Ok(models)
    }

    /// A model by its name; `None` when nobody has it.
    fn named(&self, name: &str) -> Option<Arc<dyn Provider>> {
        self.providers.iter().find(|provider| provider.name() == name).cloned()
    }

    /// The model of a key that names one: the agent's where the key is empty.
    fn of(&self, config: &HaftConfig, name: &str) -> Option<Arc<dyn Provider>> {
        match [name, &config.llm.provider].into_iter().find(|name| !name.is_empty()) {
            Some(name) => self.named(name),
            None => self.providers.first().cloned(),
        }
    }

    /// The model that judges calls; `None` when there is none of that name.
    #[cfg(feature = "policy")]
    pub(crate) fn judge(&self, config: &HaftConfig) -> Option<Arc<dyn tools_core::Judge>> {
        let provider = self.of(config, &config.tools.adversarial_policy.provider)?;
        Some(Arc::new(tools_providers::ModelJudge::new(provider)))
    }

    /// Whether every name that a key gives is one of a model.
    fn check(&self, loaded: &LoadedConfig<HaftConfig>) -> Result<(), LoadError> {
        #[cfg(feature = "retry")]
        {
            let name = &loaded.config.tools.retry.parameter_reformat_provider;
            if !name.is_empty() && self.named(name).is_none() {
                let problem = loaded.config.llm.unknown(name);
                return Err(loaded.fault("tools.retry.parameter_reformat_provider", problem));
            }
        }
        let _ = loaded;
        Ok(())
    }
}

impl Part for Models {
    /// Providers count from the next start; names that other sections give are looked up at once.
    fn compile(self: Arc<Self>, _: &HaftConfig, loaded: &LoadedConfig<HaftConfig>) -> Result<Swap, LoadError> {
        self.check(loaded)?;
        Ok(Box::new(|| ()))
    }
}

impl Toolbox {
    /// A model by its name in `[[llm.providers]]`; for an empty name the one that agents use.
    /// `None` when there is none.
    pub fn provider(&self, name: &str) -> Option<Arc<dyn Provider>> {
        self.parts.models.of(&self.config, name)
    }

    /// The model that writes wrong parameters anew (`tools.retry.parameter_reformat_provider`);
    /// `None` where the model that wrote them does.
    #[cfg(feature = "retry")]
    pub fn reformat_provider(&self) -> Option<Arc<dyn Provider>> {
        let running = self.running.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let name = &running.tools.retry.parameter_reformat_provider;
        if name.is_empty() { None } else { self.parts.models.named(name) }
    }
}

/// Reads a key that a command of the operator prints.
fn printed_by(words: Vec<String>) -> KeyReader {
    Arc::new(move || {
        let words = words.clone();
        Box::pin(async move {
            let text = printed(&words, "key_command").await?;
            Key::new(&text).ok_or_else(|| "`key_command` printed no key".to_owned())
        })
    })
}
