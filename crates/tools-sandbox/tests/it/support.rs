//! Running a shell line in a sandbox and reading what came of it.

use std::path::{Path, PathBuf};

use tokio::io::AsyncReadExt;
use tools_sandbox::kernel::{Confinement, Level, Sandbox, SandboxMode};
use tools_sandbox::process::{Exit, ProcessSpec, ProcessTree};

pub(crate) struct Ran {
    pub(crate) exit: Exit,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

pub(crate) fn shell(line: &str, cwd: &Path) -> ProcessSpec {
    let mut spec = ProcessSpec::new("/bin/bash", cwd);
    spec.args = ["--norc", "--noprofile", "-c", line].map(Into::into).into();
    spec.env = vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin".into())];
    spec
}

pub(crate) async fn run(line: &str, cwd: &Path, sandbox: &Sandbox) -> Ran {
    let mut tree = ProcessTree::spawn(&shell(line, cwd), sandbox).await.unwrap();
    let mut out = tree.take_stdout().unwrap();
    let mut err = tree.take_stderr().unwrap();
    let exit = tree.wait().await;
    tree.finish().await;
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    out.read_to_end(&mut stdout).await.unwrap();
    err.read_to_end(&mut stderr).await.unwrap();
    Ran {
        exit,
        stdout: String::from_utf8_lossy(&stdout).into_owned(),
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
    }
}

/// A workspace and a place outside it.
pub(crate) struct Place {
    _base: tempfile::TempDir,
    pub(crate) work: PathBuf,
    pub(crate) outside: PathBuf,
}

impl Place {
    pub(crate) fn new() -> Self {
        // Not below `/tmp`, which a sandbox replaces.
        let base = tempfile::tempdir_in("/var/tmp").unwrap();
        let root = base.path().canonicalize().unwrap();
        let (work, outside) = (root.join("work"), root.join("outside"));
        std::fs::create_dir(&work).unwrap();
        std::fs::create_dir(&outside).unwrap();
        Self { _base: base, work, outside }
    }

    pub(crate) fn ask(&self, mode: SandboxMode) -> Confinement {
        Confinement { mode, writable: vec![self.work.clone()], ..Confinement::default() }
    }
}

/// A sandbox of this mode, or `None` after saying why this machine has none.
pub(crate) fn sandbox(ask: &Confinement) -> Option<Sandbox> {
    match Sandbox::compile(ask) {
        Ok(sandbox) => Some(sandbox),
        Err(error) => {
            eprintln!("SKIPPED: {error}");
            None
        }
    }
}

/// Every level this machine has.
pub(crate) fn sandboxes(ask: &Confinement) -> Vec<(Level, Sandbox)> {
    [SandboxMode::Namespaces, SandboxMode::Landlock, SandboxMode::Off]
        .into_iter()
        .filter_map(|mode| sandbox(&Confinement { mode, ..ask.clone() }))
        .map(|sandbox| (sandbox.strength().level, sandbox))
        .collect()
}
