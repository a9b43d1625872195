//! The requested confinement: folders, network, limits and strictness. `plan` turns it into system
//! calls.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::network::NetworkNamespace;
use super::obeyed::ReadOnlyPath;
use crate::view::View;

/// Strictness of the kernel's confinement of a child process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxMode {
    /// Namespaces, Landlock and seccomp; where the machine cannot give them, nothing runs.
    Namespaces,
    /// Landlock and seccomp without namespaces; where the machine cannot give them, nothing runs.
    Landlock,
    /// The strongest of the two that works here; where it is less than namespaces, every result
    /// says so.
    #[default]
    BestEffort,
    /// No kernel confinement. Resource limits and ownership of the process tree stay.
    Off,
}

/// Whether a child process may use the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// The network of the machine.
    Open,
    /// The network of [`Confinement::joins`], which several processes share, at the namespaces
    /// level; anywhere else as [`Network::Closed`].
    Gate,
    /// An empty network of its own at the namespaces level, in which a process reaches nothing but
    /// what it has started itself; below that no sockets at all.
    #[default]
    Closed,
}

/// Resource limits the kernel enforces on a process tree. `None` leaves what the parent has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Processes and threads.
    pub processes: Option<u64>,
    /// Size of one written file in bytes.
    pub file_size: Option<u64>,
    /// Address space of each process in bytes.
    pub memory: Option<u64>,
    /// Processor time of each process in seconds.
    pub cpu_secs: Option<u64>,
    /// Size of a core dump in bytes.
    pub core: Option<u64>,
    /// Bytes of files in memory (`/dev/shm`) of the whole tree, at the namespaces level. `None`
    /// keeps the system's default.
    pub shared_memory: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            processes: Some(512),
            file_size: Some(1 << 30),
            memory: None,
            cpu_secs: None,
            core: Some(0),
            shared_memory: Some(1 << 30),
        }
    }
}

/// Access rights of a child process. All paths are absolute; paths that must exist are resolved
/// when compiled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Confinement {
    /// Strictness.
    pub mode: SandboxMode,
    /// The file that stores what this machine supported before. If set, a start that finds less
    /// under [`SandboxMode::BestEffort`] fails instead of confining less.
    pub record: Option<PathBuf>,
    /// Folders that may be written; everything else is read-only. A private temp folder is always
    /// added.
    pub writable: Vec<PathBuf>,
    /// Files and folders that cannot be read. Missing ones are skipped. See
    /// [`MaskRules`](super::MaskRules).
    pub hidden: Vec<PathBuf>,
    /// Files and folders inside writable ones that stay read-only. Missing ones cannot be created
    /// while a process runs: an empty file is put in their place, or an empty folder in place of
    /// the first missing folder above.
    pub protected: Vec<PathBuf>,
    /// Files and folders inside writable ones that other programs obey: read-only as far as the
    /// level allows. Ones that are gone when a process starts are skipped. See
    /// [`ObeyedFiles::held`](super::ObeyedFiles::held).
    pub held: Vec<ReadOnlyPath>,
    /// Canonical paths inside writable ones that other programs obey but that a process may
    /// replace: while it runs, no other process of this user may hold them at the namespaces level.
    /// See [`Guard::lifted`](crate::obeyed::Guard::lifted).
    pub lifted: Vec<PathBuf>,
    /// Whether processes that hold such paths are stopped meanwhile; otherwise the process is
    /// refused.
    pub stops_others: bool,
    /// Folders inside writable ones that must not be created: empty and read-only while a process
    /// runs, removed afterwards.
    pub absent: Vec<PathBuf>,
    /// Sockets of other programs, and folders of them, that may be connected to: absolute paths.
    /// All others are hidden at the namespaces level. Missing ones are skipped.
    pub sockets: Vec<PathBuf>,
    /// View of the files outside the writable folders; `None` for everything.
    pub view: Option<Arc<View>>,
    /// Network access.
    pub network: Network,
    /// The network of [`Network::Gate`]; `None` means [`Network::Closed`].
    pub joins: Option<Arc<NetworkNamespace>>,
    /// Resource limits.
    pub limits: Limits,
}
