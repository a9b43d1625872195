//! Runs an operator's command that prints a key or a token when it is needed.

use std::{ffi::OsString, fmt::Display, path::PathBuf, time::Duration};

use super::{ProcessSpec, ProcessTree};
use crate::kernel::{Confinement, Sandbox, SandboxMode};
use tokio::{io::AsyncReadExt as _, time::timeout};

/// Time limit for the command.
const PATIENCE: Duration = Duration::from_secs(30);
/// Maximum length of its output in bytes.
const MAX_PRINTED_BYTES: u64 = 16 * 1024;

/// Runs an operator's command and returns its output; errors name it `key`. It runs unconfined, as
/// the user and with the user's environment: a model must never choose it.
///
/// # Errors
/// A sentence for a person: it could not be run, failed, printed no text, or did not end within 30
/// seconds.
pub async fn run_secret_command(words: &[String], key: &str) -> Result<String, String> {
    timeout(PATIENCE, run(words, key)).await.unwrap_or_else(|_| Err(format!("`{key}` did not end in time")))
}

async fn run(words: &[String], key: &str) -> Result<String, String> {
    let failed = |problem: &dyn Display| format!("`{key}` could not be run: {problem}");
    let [name, args @ ..] = words else { return Err(format!("`{key}` is empty")) };
    let program = found(name).ok_or_else(|| failed(&format!("there is no program `{name}`")))?;
    let sandbox = Sandbox::compile(&Confinement { mode: SandboxMode::Off, ..Confinement::default() });
    let sandbox = sandbox.map_err(|error| failed(&error))?;
    let mut spec = ProcessSpec::new(program, "/");
    spec.args = args.iter().map(OsString::from).collect();
    spec.env = std::env::vars_os().collect();
    let mut tree = ProcessTree::spawn(&spec, &sandbox).await.map_err(|error| failed(&error))?;
    let mut text = Vec::new();
    if let Some(stdout) = tree.take_stdout() {
        stdout.take(MAX_PRINTED_BYTES).read_to_end(&mut text).await.map_err(|error| failed(&error))?;
    }
    let exit = tree.wait().await;
    tree.finish().await;
    if exit.code != Some(0) {
        return Err(format!("`{key}` failed"));
    }
    String::from_utf8(text).map_err(|_| format!("`{key}` printed no text"))
}

/// The path of a program: as given, or found in `PATH`.
fn found(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| path.is_absolute() && path.is_file());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_absolute() && file.is_file())
}
