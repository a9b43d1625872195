//! The tool `diagnostics` in a toolbox: checkers run where commands may run, held to the same.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use tools_core::{DynExecutor, Shared};
use tools_diagnostics::{Diagnostics, DiagnosticsPolicy};
use tools_shell::CommandConfinement;

use crate::{config::HaftConfig, files::Files};

/// The tool, in the roots of `files` and under the confinement of `commands`.
pub(crate) fn executor(
    policy: Shared<DiagnosticsPolicy>,
    reserved: &[PathBuf],
    config: &HaftConfig,
    files: &Files,
    commands: &Arc<CommandConfinement>,
) -> DynExecutor {
    let (rooted, confining) = (files.policy().clone(), Arc::clone(commands));
    let reserved = reserved.to_vec();
    let tool = Diagnostics::new(policy)
        .rooted(Arc::new(move |workdir: &Path| rooted.load().roots(workdir)))
        .confined(Arc::new(move |writable, hidden| confining.confined(writable, hidden, reserved.clone())))
        .hiding(commands.hidden().clone())
        .passing(config.tools.shell.env_pass.clone());
    DynExecutor::new(tool.into_executor())
}
