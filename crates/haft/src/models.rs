//! Models of a toolbox by name: the configured ones and those of the host.

use std::sync::Arc;

use tools_providers::{Key, KeyReader, Models, Provider};
use tools_sandbox::process::run_secret_command;

use crate::{Toolbox, config::LoadError, part::PartMaker};

impl PartMaker<'_> {
    /// Opens every configured provider, after `own`, those of the host. Changes to providers apply
    /// from the next start; changes to the names that other sections use apply at once.
    pub(crate) fn models(&mut self, own: Vec<Arc<dyn Provider>>) -> Result<Arc<Models>, LoadError> {
        let models = Models::open(&self.config.llm, own, printed_by);
        let models = Arc::new(models.map_err(|fault| self.loaded.fault_in("llm", fault))?);
        #[cfg(feature = "retry")]
        {
            let known = Arc::clone(&models);
            let check = move |loaded: &crate::config::LoadedConfig| {
                let name = &loaded.config.tools.retry.parameter_reformat_provider;
                if name.is_empty() || known.named(name).is_some() {
                    return Ok(|| ());
                }
                let problem = loaded.config.llm.unknown(name);
                Err(loaded.fault("tools.retry.parameter_reformat_provider", problem))
            };
            let _ = check(self.loaded)?;
            self.list.live.follow(check);
        }
        Ok(models)
    }
}

impl Toolbox {
    /// A model by its name in `[[llm.providers]]`; for an empty name the one that agents use.
    /// `None` if there is none.
    pub fn provider(&self, name: &str) -> Option<Arc<dyn Provider>> {
        self.parts().models.of(&self.config.llm, name)
    }

    /// The model that rewrites invalid parameters (`tools.retry.parameter_reformat_provider`);
    /// `None` if the calling model does it itself.
    pub fn reformat_provider(&self) -> Option<Arc<dyn Provider>> {
        #[cfg(feature = "retry")]
        return self.parts().models.named(&self.running().tools.retry.parameter_reformat_provider);
        #[cfg(not(feature = "retry"))]
        None
    }
}

/// The model that judges calls; `None` if no model has the configured name.
#[cfg(feature = "policy")]
pub(crate) fn judge(models: &Models, config: &crate::config::HaftConfig) -> Option<Arc<dyn tools_core::Judge>> {
    let provider = models.of(&config.llm, &config.tools.adversarial_policy.provider)?;
    Some(Arc::new(tools_providers::ModelJudge::new(provider)))
}

/// Reads a key from the output of a command that the operator configured.
fn printed_by(words: Vec<String>) -> KeyReader {
    Arc::new(move || {
        let words = words.clone();
        Box::pin(async move {
            let text = run_secret_command(&words, "key_command").await?;
            Key::new(&text).ok_or_else(|| "`key_command` printed no key".to_owned())
        })
    })
}
