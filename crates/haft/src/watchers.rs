//! People who watch for questions in another terminal: where they are found, and when they are
//! asked.

use std::{path::PathBuf, time::Duration};

use tools_approvals::{Asker, Watchers};
#[cfg(feature = "mcp")]
use tools_core::{CallContext, Confirmer};

use crate::config::places;

/// How long the command that tells of a question may take.
#[cfg(feature = "shell")]
const NOTIFY_PATIENCE: Duration = Duration::from_secs(10);

/// The folder in which `haft approvals watch` listens.
pub fn watch_folder() -> PathBuf {
    places::state_dir().join("watch")
}

/// The people who watch, asked on behalf of this process for as long as `patience`. `lasting` is
/// whether its session goes on after a call.
pub fn watchers(patience: Duration, lasting: bool) -> Watchers {
    let asker = Asker { process: std::process::id(), lasting, ..Asker::default() };
    Watchers::new(watch_folder(), asker, patience)
}

/// Those people, for clients that cannot ask.
#[cfg(feature = "mcp")]
pub(crate) struct Beside(pub(crate) Watchers);

#[cfg(feature = "mcp")]
impl tools_mcp::Elsewhere for Beside {
    fn confirmer(&self, client: &str, cx: &CallContext) -> Box<dyn Confirmer> {
        Box::new(self.0.on_behalf_of(client, cx.workdir()))
    }

    fn advice(&self) -> &'static str {
        "The user can also answer such questions in a terminal, with `haft approvals watch`."
    }
}

/// Runs the operator's command line that tells of a question, with these variables beside the
/// user's own. It runs as the user and is no model's; what it prints is dropped.
///
/// # Errors
/// When it cannot be started.
#[cfg(feature = "shell")]
pub async fn notify(line: &str, variables: Vec<(String, String)>) -> Result<(), String> {
    use tools_sandbox::{
        kernel::{Confinement, Sandbox, SandboxMode},
        process::{ProcessSpec, ProcessTree},
    };
    let failed = |problem: &dyn std::fmt::Display| format!("the command of `--notify` could not be run: {problem}");
    let sandbox = Sandbox::compile(&Confinement { mode: SandboxMode::Off, ..Confinement::default() });
    let sandbox = sandbox.map_err(|error| failed(&error))?;
    let mut spec = ProcessSpec::new("/bin/sh", "/");
    spec.args = vec!["-c".into(), line.into()];
    spec.env = std::env::vars_os().collect();
    spec.env.extend(variables.into_iter().map(|(name, value)| (name.into(), value.into())));
    let mut tree = ProcessTree::spawn(&spec, &sandbox).await.map_err(|error| failed(&error))?;
    let ended = tokio::time::timeout(NOTIFY_PATIENCE, tree.wait()).await;
    tree.finish().await;
    match ended {
        Ok(_) => Ok(()),
        Err(_) => Err(failed(&"it did not end in time")),
    }
}
