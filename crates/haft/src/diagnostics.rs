//! The tool `diagnostics` in a toolbox: checkers run where commands may run, held to the same.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use tools_core::{DynExecutor, Shared};
use tools_diagnostics::{Diagnostics, DiagnosticsPolicy};

use crate::{
    commands::Commands,
    config::{HaftConfig, LoadError, LoadedConfig},
    files::Files,
    part::{Part, Swap},
};

/// The policy of one tool `diagnostics`.
#[derive(Debug)]
pub(crate) struct Checks(Shared<DiagnosticsPolicy>);

impl Checks {
    pub(crate) fn new(loaded: &LoadedConfig<HaftConfig>) -> Result<Self, LoadError> {
        compile(loaded).map(|policy| Self(Shared::new(policy)))
    }

    /// The tool, in the roots of `files` and under the confinement of `commands`.
    pub(crate) fn executor(
        &self,
        reserved: &[PathBuf],
        config: &HaftConfig,
        files: &Files,
        commands: &Arc<Commands>,
    ) -> DynExecutor {
        let (rooted, confining) = (files.policy().clone(), Arc::clone(commands));
        let reserved = reserved.to_vec();
        let tool = Diagnostics::new(self.0.clone())
            .rooted(Arc::new(move |workdir: &Path| rooted.load().roots(workdir)))
            .confined(Arc::new(move |writable, hidden| confining.confined(writable, hidden, reserved.clone())))
            .hiding(commands.hidden().clone())
            .passing(config.tools.shell.env_pass.clone());
        DynExecutor::new(tool.into_executor())
    }
}

fn compile(loaded: &LoadedConfig<HaftConfig>) -> Result<DiagnosticsPolicy, LoadError> {
    let compiled = loaded.config.tools.diagnostics.compile();
    compiled.map_err(|error| loaded.fault(&format!("tools.diagnostics.{}", error.key), error.problem))
}

impl Part for Checks {
    fn compile(self: Arc<Self>, _: &HaftConfig, loaded: &LoadedConfig<HaftConfig>) -> Result<Swap, LoadError> {
        let policy = compile(loaded)?;
        Ok(Box::new(move || self.0.store(policy)))
    }
}
