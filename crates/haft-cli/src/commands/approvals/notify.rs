//! Runs the operator's command that notifies of a question.

use std::time::Duration;

use haft::sandbox::kernel::{Confinement, Sandbox, SandboxMode};
use haft::sandbox::process::{ProcessSpec, ProcessTree};

/// Time limit of the command.
const NOTIFY_PATIENCE: Duration = Duration::from_secs(10);

/// Runs the operator's notification command with these variables added to the user's environment.
/// It runs unconfined as the user, since no model wrote it; its output is dropped.
pub(super) async fn notify(line: &str, variables: Vec<(String, String)>) -> Result<(), String> {
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
