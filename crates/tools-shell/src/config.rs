//! `[tools.shell]` as it is typed. What it means when a command runs is
//! [`ShellPolicy`](crate::ShellPolicy).

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_sandbox::{expand_home, kernel::SOCKET_NAMES};

use crate::pattern::CommandPattern;
use crate::policy::ShellPolicy;
use crate::size::{self, parse_size};
use crate::transaction::SnapshotScope;

/// A week, in seconds.
const MAX_TIMEOUT: u64 = 604_800;
/// A minute.
const MAX_GRACE_MS: u64 = 60_000;

/// The `bash` tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ShellConfig {
    /// Seconds a command may take before it is stopped.
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
    pub network: NetworkMode,
    /// Maximum number of bytes that commands of a session may send to one host through the gate
    /// (`100 MiB`), or `unlimited`.
    pub sent_per_host: String,
    /// Sockets of other programs that commands may connect to: `ssh-agent`, `docker`, `database`,
    /// `display`, or absolute paths. Whoever may connect to one has that program act outside of the
    /// sandbox.
    pub sockets: Vec<String>,
    /// Commands that never run, beside the built-in ones: a program and words that must be among
    /// its arguments.
    pub blocked_commands: Vec<String>,
    /// Commands that a person is asked about: a program and words that must be among its arguments,
    /// or words of SQL.
    pub confirm_patterns: Vec<String>,
    /// Strictness of the kernel's confinement of commands: `namespaces`, `landlock` (both run
    /// nothing where they do not work), `best-effort` or `off`.
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
    pub max_jobs: u64,
    /// Seconds a command may run in the background before it is stopped.
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

/// A value of `[tools.shell]` that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{key}`: {problem}")]
pub struct ShellConfigError {
    /// The key below `tools.shell`.
    pub key: &'static str,
    /// The problem and its correction.
    pub problem: String,
}

impl ShellConfig {
    /// The folders that commands from `workdir` may write, as they are named: relative ones are
    /// taken from `workdir`, `~` is `home`. One whose home is not known is left out.
    pub fn folders(&self, workdir: &Path, home: Option<&Path>) -> Vec<PathBuf> {
        if self.allowed_paths.is_empty() {
            return vec![workdir.to_owned()];
        }
        let named = self.allowed_paths.iter().filter_map(|path| expand_home(path, home));
        named.map(|path| workdir.join(path)).collect()
    }

    /// Compiles the configuration.
    ///
    /// # Errors
    /// Names the key whose value cannot be used.
    pub fn compile(&self) -> Result<ShellPolicy, ShellConfigError> {
        let fault = |key, problem: &str| ShellConfigError { key, problem: problem.to_owned() };
        if self.timeout == 0 {
            return Err(fault("timeout", "expected at least 1 second"));
        }
        if self.job_timeout == 0 {
            return Err(fault("job_timeout", "expected at least 1 second"));
        }
        if self.job_timeout > MAX_TIMEOUT {
            return Err(fault("job_timeout", "expected at most 604800 seconds, a week"));
        }
        if self.timeout > MAX_TIMEOUT {
            return Err(fault("timeout", "expected at most 604800 seconds, a week"));
        }
        if self.kill_grace_ms > MAX_GRACE_MS {
            return Err(fault("kill_grace_ms", "expected at most 60000 milliseconds, a minute"));
        }
        let patterns = |key, texts: &[String]| {
            let compiled: Option<Vec<_>> = texts.iter().map(|text| CommandPattern::compile(text)).collect();
            compiled.ok_or_else(|| fault(key, "an empty pattern; expected a program and words"))
        };
        let bytes = |key, text: &str| {
            parse_size(text).map_err(|size::NoSize| fault(key, "expected a size like `1 GiB`, or `unlimited`"))
        };
        let is_socket = |name: &String| name.starts_with('/') || SOCKET_NAMES.contains(&name.as_str());
        if !self.sockets.iter().all(is_socket) {
            return Err(fault("sockets", "expected `ssh-agent`, `docker`, `database`, `display` or an absolute path"));
        }
        Ok(ShellPolicy {
            record: None,
            temporary_files: bytes("limits.temporary_files", &self.limits.temporary_files)?,
            shared_memory: bytes("limits.shared_memory", &self.limits.shared_memory)?,
            blocked: patterns("blocked_commands", &self.blocked_commands)?,
            confirmed: patterns("confirm_patterns", &self.confirm_patterns)?,
            file_size: bytes("limits.file_size", &self.limits.file_size)?,
            memory: bytes("limits.memory", &self.limits.memory)?,
            cache_limit: bytes("cache_limit", &self.cache_limit)?,
            sent_per_host: bytes("sent_per_host", &self.sent_per_host)?,
            scope: SnapshotScope::compile(&self.transaction_scope)
                .map_err(|problem| fault("transaction_scope", &problem))?,
            config: self.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_beyond_their_bounds_are_refused_by_name() {
        let key = |config: ShellConfig| config.compile().err().map(|error| error.key);
        let timeout = |timeout| key(ShellConfig { timeout, ..ShellConfig::default() });
        let grace = |kill_grace_ms| key(ShellConfig { kill_grace_ms, ..ShellConfig::default() });
        assert_eq!([timeout(0), timeout(604_801), timeout(u64::MAX)], [Some("timeout"); 3]);
        assert_eq!([grace(60_001), grace(i64::MAX.unsigned_abs())], [Some("kill_grace_ms"); 2]);
        assert_eq!([timeout(604_800), grace(60_000), grace(0)], [None; 3]);
        let sockets = |name: &str| key(ShellConfig { sockets: vec![name.to_owned()], ..ShellConfig::default() });
        assert_eq!([sockets("agent"), sockets("ssh-agent"), sockets("/run/x")], [Some("sockets"), None, None]);
    }
}
