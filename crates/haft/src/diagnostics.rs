//! The tool `diagnostics` in a toolbox: checkers run where commands may run, held to the same.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use tools_core::{DynExecutor, Redactor, Shared};
use tools_diagnostics::{Diagnostics, DiagnosticsPolicy, Workspace};
use tools_secrets::SecretRedactor;

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
        // By shape only: a variable that the operator passes on is a known value, too.
        let redactor: Arc<dyn Redactor> = Arc::new(SecretRedactor::default());
        let workspace = Workspace {
            roots: Arc::new(move |workdir: &Path| rooted.load().roots(workdir)),
            confine: Arc::new(move |writable, hidden| confining.confined(writable, hidden, reserved.clone())),
            hidden: Some(commands.hidden().clone()),
            env_pass: config.tools.shell.env_pass.clone(),
            redactor,
        };
        DynExecutor::new(Diagnostics::new(self.0.clone(), workspace).into_executor())
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
