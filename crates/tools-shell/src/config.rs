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
    /// Seconds that a command may run before it is stopped.
    #[schemars(extend("x-overlay" = "lower"))]
    pub timeout: u64,
    /// Folders that commands may write to, `~` being the home. Empty: only the working directory.
    /// Commands always have a private temporary folder too.
    #[schemars(extend("x-applies" = "next_start"))]
    pub allowed_paths: Vec<String>,
    /// Files and folders outside the workspace that commands may read, beyond what toolchains need;
    /// `~` is the home. Paths that the read rules deny stay hidden in them. `/`: everything that
    /// the user can see.
    pub read_paths: Vec<String>,
    /// Existing folders outside the workspace that commands may write and that are shared with
    /// programs outside the sandbox; `~` is the home. Package managers need none: commands have
    /// their own caches for each workspace. Later builds use what a command puts there, in the
    /// sandbox or outside: do not list a folder whose content is run unchecked.
    pub caches: Vec<String>,
    /// Maximum disk space of the commands' own caches, of all workspaces together (`10 GiB`), or
    /// `unlimited`. Above it, the caches that were unused longest are removed.
    pub cache_limit: String,
    /// The network of commands. `gate`: the commands of a session share their own network; every
    /// connection out of it is judged by `tools.permissions.network`, and a person is asked about
    /// hosts that no rule names. `off`: they reach only servers that they start themselves. `open`:
    /// the network of the machine. `gate` needs the sandbox `namespaces` and is the same as `off`
    /// without it.
    #[schemars(extend("x-overlay" = ["open", "gate", "off"]))]
    pub network: NetworkMode,
    /// Ports that a background command may publish without a question (`[3000, 8080]`): every
    /// program and user of this machine can then reach its server on 127.0.0.1 under the same
    /// number. A person is asked about other ports.
    pub publish: Vec<u16>,
    /// Maximum number of bytes that the commands of a session may send to one host through the
    /// network gate (`100 MiB`), or `unlimited`.
    pub sent_per_host: String,
    /// Sockets of other programs that commands may connect to: `ssh-agent`, `docker`, `database`,
    /// `display`, or absolute paths. Through such a socket a command can make that program act
    /// outside the sandbox.
    pub sockets: Vec<String>,
    /// Commands that are never run, in addition to the built-in ones: a program, and words that
    /// must be among its arguments.
    #[schemars(extend("x-overlay" = "extend"))]
    pub blocked_commands: Vec<String>,
    /// Commands about which a person is asked: a program and words that must be among its
    /// arguments, or words of SQL.
    #[schemars(extend("x-overlay" = "extend"))]
    pub confirm_patterns: Vec<String>,
    /// Strictness of the kernel's confinement of commands: `namespaces` or `landlock` (without
    /// support for it no command runs), `best-effort` (the strongest that works) or `off`.
    #[schemars(extend("x-overlay" = ["off", "best-effort", "namespaces"]))]
    pub sandbox: SandboxChoice,
    /// Environment variables that commands get although their names look like credentials: names,
    /// or globs with `*` at the end. Variables whose values look like credentials are never passed.
    #[schemars(extend("x-applies" = "next_start"))]
    pub env_pass: Vec<String>,
    /// Maximum number of bytes kept of each output stream of a command: half from its start, half
    /// from its end.
    pub max_output_bytes: u64,
    /// Resource limits of one command.
    pub limits: LimitsConfig,
    /// Maximum number of background commands at once.
    #[schemars(extend("x-overlay" = "lower"))]
    pub max_jobs: u64,
    /// Seconds that a background command may run before it is stopped.
    #[schemars(extend("x-overlay" = "lower"))]
    pub job_timeout: u64,
    /// Milliseconds between asking a command to end and killing it.
    pub kill_grace_ms: u64,
    /// Whether the files that a command could change are copied before it runs.
    pub transactional: bool,
    /// Globs of the files that `transactional` copies, relative to the writable folder. Empty: all.
    pub transaction_scope: Vec<String>,
    /// Whether the files copied by `transactional` are restored after a failed command.
    pub auto_rollback: bool,
    /// Exit codes of a command after which `auto_rollback` restores files. Empty: all but 0.
    pub auto_rollback_exit_codes: Vec<i32>,
    /// Whether a command is refused if its files cannot be copied. If false, it runs without
    /// copies, and the result says so. Applies with `transactional`.
    #[schemars(extend("x-overlay" = true))]
    pub snapshot_required: bool,
    /// Maximum number of bytes that `transactional` copies for one command. 0: no limit.
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
    /// Maximum number of processes and threads of a command. 0: no limit.
    pub processes: u64,
    /// Maximum size of a file that a command writes (`1 GiB`), or `unlimited`.
    pub file_size: String,
    /// Maximum address space of each process of a command (`4 GiB`), or `unlimited`.
    pub memory: String,
    /// Maximum processor time in seconds of each process of a command. 0: no limit.
    pub cpu_secs: u64,
    /// Maximum size in bytes of a core dump of a command. 0: none.
    #[schemars(extend("x-overlay" = "lower"))]
    pub core: u64,
    /// Maximum size of files in memory (`/dev/shm`) of a command and its processes (`1 GiB`), or
    /// `unlimited`.
    pub shared_memory: String,
    /// Maximum size of temporary files of commands on disk (`8 GiB`), or `unlimited`. Checked every
    /// second: a command that exceeds it is stopped.
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
