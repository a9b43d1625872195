//! `[tools.shell]` as it is typed. What it means when a command runs is
//! [`ShellPolicy`](crate::ShellPolicy).

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_sandbox::expand_home;

/// The `bash` tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ShellConfig {
    /// Seconds a command may take before it is stopped.
    #[schemars(extend("x-overlay" = "lower"))]
    pub timeout: u64,
    /// Folders a command may write to, `~` being the home. Empty: the working directory only. A
    /// private temp folder is always there.
    #[schemars(extend("x-applies" = "next_start"))]
    pub allowed_paths: Vec<String>,
    /// Places outside of the workspace that commands may read beyond what toolchains need: files or
    /// folders, `~` being the home. What the read rules deny stays hidden in them. `/` shows
    /// everything that the user sees.
    pub read_paths: Vec<String>,
    /// Folders outside of the workspace that commands may write and share with what runs
    /// unconfined, `~` being the home: those that exist. Package managers need none: commands have
    /// caches of their own for each workspace. What a command puts into a folder named here is used
    /// by later builds, confined or not, so that no folder belongs here whose content is run
    /// unchecked.
    pub caches: Vec<String>,
    /// Maximum disk space of the caches that commands have for themselves, of all workspaces
    /// together (`10 GiB`), or `unlimited`. Above that those that were unused longest are removed.
    pub cache_limit: String,
    /// The network of commands. `gate`: the commands of a session share a network of their own; its
    /// only way out judges every connection by `tools.permissions.network` and asks about hosts
    /// that no rule names. `off`: they reach only the servers that they start themselves. `open`:
    /// the network of the machine. `gate` needs the sandbox `namespaces` and is the same as `off`
    /// without it.
    #[schemars(extend("x-overlay" = ["open", "gate", "off"]))]
    pub network: NetworkMode,
    /// Ports that a command in the background may publish without a question (`[3000, 8080]`): what
    /// it listens on is reachable on 127.0.0.1 of this machine under the same number, by every
    /// program and user here. About other ports a person is asked.
    pub publish: Vec<u16>,
    /// Maximum number of bytes that commands of a session may send to one host through the gate
    /// (`100 MiB`), or `unlimited`.
    pub sent_per_host: String,
    /// Sockets of other programs that commands may connect to: `ssh-agent`, `docker`, `database`,
    /// `display`, or absolute paths. Whoever may connect to one has that program act outside of the
    /// sandbox.
    pub sockets: Vec<String>,
    /// Commands that never run, beside the built-in ones: a program and words that must be among
    /// its arguments.
    #[schemars(extend("x-overlay" = "extend"))]
    pub blocked_commands: Vec<String>,
    /// Commands that a person is asked about: a program and words that must be among its arguments,
    /// or words of SQL.
    #[schemars(extend("x-overlay" = "extend"))]
    pub confirm_patterns: Vec<String>,
    /// Strictness of the kernel's confinement of commands: `namespaces`, `landlock` (both run
    /// nothing where they do not work), `best-effort` or `off`.
    #[schemars(extend("x-overlay" = ["off", "best-effort", "namespaces"]))]
    pub sandbox: SandboxChoice,
    /// Further environment variables handed to commands though their names look like credentials:
    /// names, or globs with `*` at the end. Values that look like credentials are dropped all the
    /// same.
    #[schemars(extend("x-applies" = "next_start"))]
    pub env_pass: Vec<String>,
    /// Bytes of each stream kept for the model: the first and the last half of it.
    pub max_output_bytes: u64,
    /// Resource limits of one command.
    pub limits: LimitsConfig,
    /// Commands that may run in the background at once.
    #[schemars(extend("x-overlay" = "lower"))]
    pub max_jobs: u64,
    /// Seconds a command may run in the background before it is stopped.
    #[schemars(extend("x-overlay" = "lower"))]
    pub job_timeout: u64,
    /// Milliseconds between asking a command to end and killing it.
    pub kill_grace_ms: u64,
    /// Whether the files a command could change are copied before it runs.
    pub transactional: bool,
    /// Files that are copied: globs relative to the folder a command may write. Empty: all.
    pub transaction_scope: Vec<String>,
    /// Whether the files are put back after a command that failed.
    pub auto_rollback: bool,
    /// Exit codes after which they are put back. Empty: any but 0.
    pub auto_rollback_exit_codes: Vec<i32>,
    /// Whether a command is refused when its files cannot be copied; otherwise it runs without, and
    /// that is said.
    #[schemars(extend("x-overlay" = true))]
    pub snapshot_required: bool,
    /// Bytes that may be copied for one command; 0 for no limit.
    pub max_snapshot_bytes: u64,
}

impl Default for ShellConfig {
    fn default() -> Self {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Self {
            timeout: 30,
            allowed_paths: Vec::new(),
            read_paths: Vec::new(),
            caches: Vec::new(),
            cache_limit: "10 GiB".to_owned(),
            network: NetworkMode::default(),
            publish: Vec::new(),
            sent_per_host: "unlimited".to_owned(),
            sockets: Vec::new(),
            blocked_commands: Vec::new(),
            confirm_patterns: owned(&[
                "rm",
                "git push -f",
                "git push --force",
                "drop table",
                "drop database",
                "truncate table",
            ]),
            sandbox: SandboxChoice::default(),
            env_pass: Vec::new(),
            max_output_bytes: 65_536,
            limits: LimitsConfig::default(),
            max_jobs: 8,
            job_timeout: 1800,
            kill_grace_ms: 250,
            transactional: false,
            transaction_scope: owned(&["**"]),
            auto_rollback: false,
            auto_rollback_exit_codes: vec![1, 2],
            snapshot_required: false,
            max_snapshot_bytes: 0,
        }
    }
}

/// The network of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NetworkMode {
    /// None but that of their own.
    Off,
    /// One of their own, with a way out that judges every connection.
    #[default]
    Gate,
    /// That of the machine.
    Open,
}

/// Strictness of the kernel's confinement of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxChoice {
    /// Namespaces, Landlock and seccomp; where they do not work, nothing runs.
    Namespaces,
    /// Landlock and seccomp; where they do not work, nothing runs.
    Landlock,
    /// The strongest that works, said aloud when it is less than namespaces.
    #[default]
    BestEffort,
    /// None.
    Off,
}

/// Resource limits of one command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LimitsConfig {
    /// Processes and threads; 0 for no limit.
    pub processes: u64,
    /// Largest file it may write (`1 GiB`), or `unlimited`.
    pub file_size: String,
    /// Address space of each process (`4 GiB`), or `unlimited`.
    pub memory: String,
    /// Processor seconds of each process; 0 for no limit.
    pub cpu_secs: u64,
    /// Bytes of a core dump.
    #[schemars(extend("x-overlay" = "lower"))]
    pub core: u64,
    /// Files in memory (`/dev/shm`) of a command and all it starts (`1 GiB`), or `unlimited`.
    pub shared_memory: String,
    /// Temporary files of commands on the disk (`8 GiB`), or `unlimited`. Looked at every second: a
    /// command that goes beyond is stopped.
    pub temporary_files: String,
}

impl Default for LimitsConfig {
    fn default() -> Self {
        Self {
            processes: 512,
            file_size: "1 GiB".to_owned(),
            memory: "unlimited".to_owned(),
            cpu_secs: 0,
            core: 0,
            shared_memory: "1 GiB".to_owned(),
            temporary_files: "8 GiB".to_owned(),
        }
    }
}

impl ShellConfig {
    /// The folders that commands from `workdir` may write, as configured: relative ones start at
    /// `workdir`, `~` is `home`. A folder in an unknown home is left out.
    pub fn folders(&self, workdir: &Path, home: Option<&Path>) -> Vec<PathBuf> {
        if self.allowed_paths.is_empty() {
            return vec![workdir.to_owned()];
        }
        let named = self.allowed_paths.iter().filter_map(|path| expand_home(path, home));
        named.map(|path| workdir.join(path)).collect()
    }
}
