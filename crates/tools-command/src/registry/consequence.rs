//! Consequences of a command beyond the files of the workspace, and whether a person may allow
//! them.

/// A consequence for other people, the machine, or work that cannot be restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Consequence {
    /// Runs with the rights of another user.
    TakesRights,
    /// Halts or restarts the machine.
    StopsMachine,
    /// Writes to a disk beneath its file system.
    RewritesDisk,
    /// Loads or removes parts of the kernel.
    ChangesKernel,
    /// Starts copies of itself without end, or ends every process.
    Exhausts,
    /// Hands something to a registry, a forge or other people.
    Publishes,
    /// Discards changes or history that exist nowhere else.
    DiscardsWork,
    /// Removes files irrecoverably.
    Destroys,
    /// Removes what others use: resources, databases, branches of a remote.
    DeletesForOthers,
    /// Changes services, the firewall, mounts, packages of the system.
    ChangesSystem,
    /// Changes accounts, credentials, or the user's identity towards others.
    ChangesIdentity,
    /// Shows credentials.
    ShowsCredentials,
}

impl Consequence {
    /// Whether the command is never allowed, even if a person agrees. All other consequences ask.
    pub fn is_denied(self) -> bool {
        matches!(
            self,
            Self::TakesRights | Self::StopsMachine | Self::RewritesDisk | Self::ChangesKernel | Self::Exhausts
        )
    }

    /// The consequence as a clause that follows the command: "`rm x` destroys files".
    pub(crate) fn clause(self) -> &'static str {
        match self {
            Self::TakesRights => "takes other rights",
            Self::StopsMachine => "stops the machine",
            Self::RewritesDisk => "rewrites a disk",
            Self::ChangesKernel => "changes the kernel",
            Self::Exhausts => "exhausts the machine",
            Self::Publishes => "publishes, which cannot be undone",
            Self::DiscardsWork => "discards changes",
            Self::Destroys => "destroys files",
            Self::DeletesForOthers => "removes what others may use",
            Self::ChangesSystem => "changes the system",
            Self::ChangesIdentity => "changes accounts or credentials",
            Self::ShowsCredentials => "shows credentials",
        }
    }
}
