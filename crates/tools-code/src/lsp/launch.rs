//! Starts a language server as a child process: confined like a command, and unable to change the
//! workspace.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::io::AsyncReadExt as _;
use tools_core::{CallContext, Redactor};
use tools_sandbox::kernel::{ChildConfinement, Confinement, Level, Network, Sandbox};
use tools_sandbox::process::{ProcessSpec, ProcessTree, Stdin, own_variables, scrubbed};

use crate::config::ServerConfig;

/// Confinement of language servers: as for shell commands, and without write access to the
/// workspace.
#[derive(Clone)]
pub struct LaunchConfinement {
    /// The confinement of child processes.
    pub children: Arc<dyn ChildConfinement>,
    /// Detects credentials by their form: variables that contain one are not passed on.
    pub redactor: Arc<dyn Redactor>,
}

/// A running server. Dropping it ends the server and all its processes.
pub(super) struct Child {
    pub(super) tree: ProcessTree,
    /// Keeps the private folders in existence.
    sandbox: Sandbox,
}

impl Child {
    /// Level of its confinement.
    pub(super) fn level(&self) -> Level {
        self.sandbox.strength().level
    }
}

/// Starts a server for a workspace.
///
/// # Errors
/// The reason, as text for a model.
pub(super) async fn launch(
    held: &LaunchConfinement,
    server: &ServerConfig,
    roots: &[PathBuf],
    cx: &CallContext,
) -> Result<Child, String> {
    let root = roots.first().ok_or("there is no workspace")?;
    let env = scrubbed(own_variables().into_iter(), cx.env(), &held.children.env_pass(), held.redactor.as_ref());
    let name = server.command.display();
    let program = find(&server.command, &env).ok_or_else(|| format!("`{name}` is not installed"))?;
    let masks = held.children.hidden().masks(roots);
    if masks.incomplete {
        return Err("the workspace is too large to be searched for secret files".to_owned());
    }
    let asked = held.children.confined(roots.to_vec(), masks.paths);
    let mut protected = asked.protected.clone();
    protected.extend(roots.iter().cloned());
    let asked = Confinement { protected, network: Network::Closed, joins: None, ..asked };
    let sandbox = Sandbox::compile(&asked).map_err(|error| error.to_string())?;
    let mut spec = ProcessSpec::new(program, root);
    spec.args = server.args.iter().map(OsString::from).collect();
    spec.env = env;
    spec.stdin = Stdin::Piped;
    sandbox.name_temp(&mut spec.env);
    sandbox.name_caches(&mut spec.env, |name| cx.env().contains_key(name));
    let mut tree =
        ProcessTree::spawn(&spec, &sandbox).await.map_err(|error| format!("`{name}` did not start: {error}"))?;
    if let Some(mut errors) = tree.take_stderr() {
        // Drains standard error, so that the child does not block on it. The task ends with the
        // child.
        tokio::spawn(async move {
            let mut buffer = [0; 4096];
            while matches!(errors.read(&mut buffer).await, Ok(1..)) {}
        });
    }
    Ok(Child { tree, sandbox })
}

/// Finds the program by name in the `PATH` of an environment, or by absolute path.
fn find(program: &Path, env: &[(OsString, OsString)]) -> Option<PathBuf> {
    let is_program = |path: &PathBuf| {
        path.is_absolute()
            && std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    if program.is_absolute() {
        return Some(program.to_owned()).filter(is_program);
    }
    let path = env.iter().find(|(variable, _)| variable == "PATH").map(|(_, value)| value.as_os_str());
    let folders = std::env::split_paths(path.unwrap_or_else(|| OsStr::new("/usr/local/bin:/usr/bin:/bin")));
    folders.map(|folder| folder.join(program)).find(is_program)
}
