//! The tool `search_code` in a toolbox: over the files that the file tools may see, with language
//! servers that are held as commands are.

#[cfg(feature = "shell")]
use std::path::PathBuf;
use std::sync::Arc;

use tools_code::{IndexPolicy, SearchCode};
use tools_core::{Embedder, Shared, SystemClock};
use tools_file::Survey;

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig},
    files::Files,
};

/// The tool, over the files of `files`.
///
/// # Errors
/// A store of vectors that cannot be used as it is configured.
pub(crate) fn tool(
    policy: Shared<IndexPolicy>,
    loaded: &LoadedConfig<HaftConfig>,
    files: &Files,
    embedder: Option<&Arc<dyn Embedder>>,
) -> Result<SearchCode, LoadError> {
    let tool = SearchCode::new(policy, Arc::new(Survey::new(files.policy().clone(), "search_code")));
    let Some(embedder) = embedder else { return Ok(tool) };
    let tool = tool.embedded_by(Arc::clone(embedder));
    let store = loaded.config.index.store().map_err(|fault| loaded.fault_in("index", fault))?;
    Ok(match store {
        Some(store) => tool.storing(store, Arc::clone(embedder), Arc::new(SystemClock)),
        None => tool,
    })
}

/// What language servers are held to: the same as commands.
#[cfg(feature = "shell")]
pub(crate) fn held(
    reserved: &[PathBuf],
    config: &HaftConfig,
    commands: &Arc<tools_shell::CommandConfinement>,
) -> tools_code::LaunchConfinement {
    let (confining, reserved) = (Arc::clone(commands), reserved.to_vec());
    tools_code::LaunchConfinement {
        confine: Arc::new(move |writable, hidden| confining.confined(writable, hidden, reserved.clone())),
        hidden: Some(commands.hidden().clone()),
        env_pass: config.tools.shell.env_pass.clone(),
        // By shape only: a variable that the operator passes on is a known value, too.
        redactor: Arc::new(tools_secrets::SecretRedactor::default()),
    }
}
