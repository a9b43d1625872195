//! The compiled policy of the shell and the handle that swaps it while calls are under way.

use std::path::{Path, PathBuf};

use tools_core::{ConfirmReason, Shared};
use tools_sandbox::kernel::{Confinement, Limits, Network, SandboxMode};

use crate::analysis::{Analysis, Surroundings, analyse};
use crate::blocklist::{self, BlockRules};
use crate::config::{SandboxChoice, ShellConfig, ShellConfigError};
use crate::confirm;
use crate::pattern::CommandPattern;

/// What `[tools.shell]` means, compiled. A command keeps the one it started with.
#[derive(Debug, Clone)]
pub struct ShellPolicy {
    pub(crate) config: ShellConfig,
    pub(crate) blocked: Vec<CommandPattern>,
    pub(crate) confirmed: Vec<CommandPattern>,
    pub(crate) file_size: Option<u64>,
    pub(crate) memory: Option<u64>,
}

impl ShellPolicy {
    /// Why nobody may run this line, judged as if it ran in the root folder of no user; `None` when the list has no objection.
    pub fn find_blocked_command(&self, line: &str) -> Option<String> {
        let surroundings = Surroundings::default();
        self.blocked(&analyse(line, &surroundings), &surroundings)
    }

    pub(crate) fn blocked(&self, found: &Analysis, surroundings: &Surroundings) -> Option<String> {
        let rules = BlockRules { extra: &self.blocked, allow_network: self.config.allow_network, surroundings };
        blocklist::objection(found, &rules)
    }

    /// What a command that may write `writable` is held to: it cannot read `hidden`, nor write `protected`.
    pub fn confinement(&self, writable: Vec<PathBuf>, hidden: Vec<PathBuf>, protected: Vec<PathBuf>) -> Confinement {
        let mode = match self.config.sandbox {
            SandboxChoice::Namespaces => SandboxMode::Namespaces,
            SandboxChoice::Landlock => SandboxMode::Landlock,
            SandboxChoice::BestEffort => SandboxMode::BestEffort,
            SandboxChoice::Off => SandboxMode::Off,
        };
        let network = if self.config.allow_network { Network::Open } else { Network::Closed };
        let some = |value: u64| (value > 0).then_some(value);
        let limits = Limits {
            processes: some(self.config.limits.processes),
            file_size: self.file_size,
            memory: self.memory,
            cpu_secs: some(self.config.limits.cpu_secs),
            core: Some(self.config.limits.core),
        };
        Confinement { mode, writable, hidden, protected, network, limits }
    }

    pub(crate) fn confirm(&self, found: &Analysis, surroundings: &Surroundings) -> Option<ConfirmReason> {
        confirm::reason(found, &self.confirmed, surroundings)
    }
}

/// Swaps the policy of the shell at run time. Clones share it.
#[derive(Debug, Clone)]
pub struct ShellPolicyHandle(Shared<ShellPolicy>);

impl ShellPolicyHandle {
    /// A handle on a compiled policy.
    pub fn new(policy: ShellPolicy) -> Self {
        Self(Shared::new(policy))
    }

    /// The policy as it is now.
    pub fn load(&self) -> std::sync::Arc<ShellPolicy> {
        self.0.load()
    }

    /// Puts a compiled policy in place; commands that run keep theirs.
    pub fn store(&self, policy: ShellPolicy) {
        self.0.store(policy);
    }

    /// Compiles a configuration and puts it in place.
    ///
    /// # Errors
    /// As [`ShellConfig::compile`]; the policy stays as it was then.
    pub fn rebuild(&self, config: &ShellConfig) -> Result<(), ShellConfigError> {
        self.0.store(config.compile()?);
        Ok(())
    }
}

/// Where a line would run: the user's home and the call's working folder.
pub(crate) fn surroundings(home: Option<&str>, workdir: &Path) -> Surroundings {
    Surroundings {
        home: home.unwrap_or_default().trim_end_matches('/').to_owned(),
        workdir: workdir.to_string_lossy().trim_end_matches('/').to_owned(),
    }
}
