//! A workspace, a state folder of its own, and the binary in it.

use std::io::Write;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tools_testkit::Workspace;
pub(crate) use tools_testkit::{eventually, processes_with};

/// A rule that lets every command run.
pub(crate) const BASH_ALLOWED: &str = "[[tools.permissions.bash]]\npattern = \"*\"\naction = \"allow\"\n";

/// A rule about the calls of a tool that match a pattern.
pub(crate) fn rule(tool: &str, pattern: &str, action: &str) -> String {
    format!("[[tools.permissions.{tool}]]\npattern = \"{pattern}\"\naction = \"{action}\"\n")
}

/// How a run of the binary ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// The one JSON object on standard output.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The JSON value on each line of standard output.
    pub(crate) fn rows(&self) -> Vec<Value> {
        json_lines(&self.out)
    }
}

/// A process that is killed when it is dropped.
pub(crate) struct Running(pub(crate) Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A workspace for the tools, and a home for the user beside it.
pub(crate) struct Haft {
    pub(crate) workspace: Workspace,
    pub(crate) home: Workspace,
}

impl Haft {
    pub(crate) fn new() -> Self {
        Self { workspace: Workspace::new(), home: Workspace::new() }
    }

    /// The same with a configuration in the user's folder.
    pub(crate) fn configured(text: &str) -> Self {
        let haft = Self::new();
        haft.home.file(".config/haft/config.toml", text);
        haft
    }

    /// The same where commands run in namespaces; `None` after saying that they do not.
    pub(crate) fn confined(text: &str) -> Option<Self> {
        tools_testkit::namespaces().then(|| Self::configured(text))
    }

    /// Makes a repository of the workspace, with its files in one commit.
    pub(crate) fn commit(&self) {
        for arguments in [
            &["init", "-q", "."][..],
            &["add", "."],
            &["-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "first"],
        ] {
            let made = Command::new("git").args(arguments).current_dir(self.workspace.root()).status();
            assert!(made.expect("git is there").success());
        }
    }

    /// Where the record of calls is.
    pub(crate) fn record(&self) -> PathBuf {
        self.home.path(".local/state/haft/audit.jsonl")
    }

    /// The lines of the record.
    pub(crate) fn recorded(&self) -> Vec<Value> {
        json_lines(&std::fs::read_to_string(self.record()).unwrap_or_default())
    }

    /// Writes a file in the home with mode 0600, which files with tokens must have.
    pub(crate) fn private_file(&self, name: &str, text: &str) -> String {
        let file = self.home.file(name, text);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("it is ours");
        file.to_str().expect("it is text").to_owned()
    }

    /// The binary, without a terminal, in the workspace.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_haft"));
        command
            .args(arguments)
            .current_dir(self.workspace.root())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home.root())
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        finished(self.command(arguments))
    }

    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Ran {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        child.stdin.take().expect("it is piped").write_all(input).expect("the binary reads");
        ended(&child.wait_with_output().expect("the binary ends"))
    }
}

/// The JSON value on each line.
pub(crate) fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

pub(crate) fn finished(mut command: Command) -> Ran {
    // A session of its own has no terminal: nobody is there to be asked.
    detach(&mut command);
    ended(&command.output().expect("the binary starts"))
}

/// Lets commands find the toolchain of whoever runs the tests, which lies in that person's home.
pub(crate) fn with_toolchain(command: &mut Command) {
    if let Some(own) = std::env::home_dir().map(|home| home.join(".rustup")).filter(|own| own.is_dir()) {
        command.env("RUSTUP_HOME", std::env::var_os("RUSTUP_HOME").unwrap_or_else(|| own.into()));
    }
}

/// Starts the command through `setsid`, so that it has no controlling terminal.
fn detach(command: &mut Command) {
    let program = command.get_program().to_owned();
    let arguments: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
    let folder = command.get_current_dir().map(Path::to_owned);
    let variables: Vec<_> =
        command.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))).collect();
    let mut detached = Command::new("setsid");
    detached.arg("--wait").arg(program).args(arguments).env_clear().envs(variables).stdin(Stdio::null());
    if let Some(folder) = folder {
        detached.current_dir(folder);
    }
    *command = detached;
}

fn ended(output: &std::process::Output) -> Ran {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran { code: output.status.code().unwrap_or(-1), out: text(&output.stdout), err: text(&output.stderr) }
}
