//! Exit codes. They are stable, and each has one meaning.

use haft::CallReport;
use haft::core::ToolErrorCategory;

/// How the command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything worked.
    Ok,
    /// The tool failed.
    ToolFailed,
    /// Wrong arguments or configuration.
    Usage,
    /// Approval was required but not given.
    ApprovalWanted,
    /// Denied by a rule or the sandbox.
    Denied,
    /// Stopped by a quota, a cap or a budget.
    Limit,
    /// The exit code of the command that was run.
    Command(u8),
}

impl Exit {
    /// Numeric exit code.
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

    /// Exit code that a shell reports for this signal: 128 plus its number.
    pub(crate) fn interrupted(signal: u8) -> Self {
        Self::Command(128 + signal)
    }

    /// The exit code for the outcome of one call.
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
