//! The models of a toolbox: the configured ones and those of the host, by name.

use std::sync::Arc;

use tools_providers::{Key, KeyReader, Models, Provider};
use tools_sandbox::process::printed;

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig},
    part::PartList,
};

/// Opens every configured provider. They count from the next start; names that other sections give
/// are looked up at once.
///
/// # Errors
/// The first value that cannot be used, and a name that no provider has.
pub(crate) fn open(
    loaded: &LoadedConfig<HaftConfig>,
    own: Vec<Arc<dyn Provider>>,
    parts: &mut PartList,
) -> Result<Arc<Models>, LoadError> {
    let models = Models::open(&loaded.config.llm, own, printed_by).map_err(|fault| loaded.fault_in("llm", fault))?;
    let models = Arc::new(models);
    #[cfg(feature = "retry")]
    {
        check(&models, loaded)?;
        let known = Arc::clone(&models);
        parts.follow(move |loaded| check(&known, loaded).map(|()| || ()));
    }
    #[cfg(not(feature = "retry"))]
    let _ = parts;
    Ok(models)
}

/// The model that judges calls; `None` when there is none of that name.
#[cfg(feature = "policy")]
pub(crate) fn judge(models: &Models, config: &HaftConfig) -> Option<Arc<dyn tools_core::Judge>> {
    let provider = models.of(&config.llm, &config.tools.adversarial_policy.provider)?;
    Some(Arc::new(tools_providers::ModelJudge::new(provider)))
}

/// Whether the name that a key gives is one of a model.
#[cfg(feature = "retry")]
fn check(models: &Models, loaded: &LoadedConfig<HaftConfig>) -> Result<(), LoadError> {
    let name = &loaded.config.tools.retry.parameter_reformat_provider;
    if name.is_empty() || models.named(name).is_some() {
        return Ok(());
    }
    let problem = loaded.config.llm.unknown(name);
    Err(loaded.fault("tools.retry.parameter_reformat_provider", problem))
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
