//! The confinement of a child process as reported in every result: the level, its parts, and its
//! gaps.

use serde::Serialize;

use super::config::Network;

/// Level of the kernel's confinement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Only resource limits and ownership of the process tree.
    Off,
    /// Landlock and seccomp.
    Landlock,
    /// Namespaces, and Landlock and seccomp where the kernel has them.
    Namespaces,
}

impl Level {
    /// The name in results and in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Landlock => "landlock",
            Self::Namespaces => "namespaces",
        }
    }
}

/// The actual confinement of one child process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Strength {
    /// The level.
    pub level: Level,
    /// ABI of the Landlock rules, if there are any.
    pub landlock: Option<u32>,
    /// Whether system calls are filtered.
    pub seccomp: bool,
    /// Whether there is a network.
    pub network: Network,
    /// Set if the machine supports less than the strongest level, which the configuration would
    /// accept.
    pub degraded: bool,
    /// Gaps of the confinement, one sentence each.
    pub not_stopped: Vec<String>,
}
