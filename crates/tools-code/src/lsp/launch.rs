//! A server as a child: found, confined like a command, and unable to change the workspace.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::io::AsyncReadExt as _;
use tools_core::{CallContext, Redactor};
use tools_sandbox::kernel::{ChildConfinement, Confinement, Level, Network, Sandbox};
use tools_sandbox::process::{ProcessSpec, ProcessTree, Stdin, own_variables, scrubbed};

use crate::config::ServerConfig;

/// Confinement of language servers: the same as commands of the shell, and to no change in the
/// workspace.
#[derive(Clone)]
pub struct LaunchConfinement {
    /// Holds them.
    pub children: Arc<dyn ChildConfinement>,
    /// Knows credentials by their shape: variables that hold one are not handed on.
    pub redactor: Arc<dyn Redactor>,
}

/// A server that was started. Dropping it ends it and all it started.
pub(super) struct Child {
    pub(super) tree: ProcessTree,
    /// Keeps the private folders.
    sandbox: Sandbox,
}

impl Child {
    /// What holds it.
    pub(super) fn level(&self) -> Level {
        self.sandbox.strength().level
    }
}

/// Starts a server for a workspace.
///
/// # Errors
/// What went wrong, as a model may read it.
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
        // What it complains of is drained, so that it does not wait for a reader. It ends with the
        // child.
        tokio::spawn(async move {
            let mut buffer = [0; 4096];
            while matches!(errors.read(&mut buffer).await, Ok(1..)) {}
        });
    }
    Ok(Child { tree, sandbox })
}

/// The program of that name in the `PATH` of an environment, or at an absolute path.
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
