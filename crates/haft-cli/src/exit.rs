//! The exit codes: stable, one meaning each.

use haft::CallReport;
use haft::core::ToolErrorCategory;

/// How the command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything worked.
    Ok,
    /// The tool failed.
    ToolFailed,
    /// What was typed or configured is wrong.
    Usage,
    /// A person had to agree, and nobody did.
    ApprovalWanted,
    /// A rule or the sandbox said no.
    Denied,
    /// A quota, a cap or a budget stopped it.
    Limit,
    /// The exit code of a command that was run on somebody's behalf.
    Command(u8),
}

impl Exit {
    /// The number a shell sees.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::ToolFailed => 1,
            Self::Usage => 2,
            Self::ApprovalWanted => 3,
            Self::Denied => 4,
            Self::Limit => 5,
            Self::Command(code) => code,
        }
    }

    /// The end by a signal of this number, as a shell tells it; `None` when there was none.
    pub(crate) fn interrupted(signal: Option<u8>) -> Option<Self> {
        signal.map(|number| Self::Command(128 + number))
    }

    /// What one call's end means for the command that made it.
    pub(crate) fn of(report: &CallReport) -> Self {
        let Some(error) = &report.error else { return Self::Ok };
        match error.category {
            ToolErrorCategory::ConfirmationRequired => Self::ApprovalWanted,
            ToolErrorCategory::PolicyBlocked if error.code == "quota_blocked" => Self::Limit,
            ToolErrorCategory::PolicyBlocked => Self::Denied,
            ToolErrorCategory::ToolNotFound
            | ToolErrorCategory::InvalidParameters
            | ToolErrorCategory::TypeMismatch => Self::Usage,
            _ => Self::ToolFailed,
        }
    }
}
