//! The eleven categories of failure, and the one table of their consequences.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Category of a failure: a closed list that determines everything else about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolErrorCategory {
    /// No executor owns the tool.
    ToolNotFound,
    /// A parameter is missing, unknown or not acceptable.
    InvalidParameters,
    /// A parameter has another JSON type than the schema says.
    TypeMismatch,
    /// A rule, the sandbox or the operating system refuses.
    PolicyBlocked,
    /// A person has to agree first.
    ConfirmationRequired,
    /// It failed and would fail again.
    PermanentFailure,
    /// Nobody waits for the result any more.
    Cancelled,
    /// The other side asks to wait.
    RateLimited,
    /// The other side failed.
    ServerError,
    /// The other side was not reached.
    NetworkError,
    /// It took too long.
    Timeout,
}

/// Phase of a call in which a failure occurred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorPhase {
    /// Finding the tool.
    Setup,
    /// Reading its parameters.
    ParamHandling,
    /// Running it.
    Execution,
    /// Interpreting its result.
    ResultInterpretation,
}

/// Whether trying again can help.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The same call may work later.
    Transient,
    /// It will not.
    Permanent,
}

/// Party that has to act so that the next attempt can succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorDomain {
    /// The model picks another tool.
    Planning,
    /// The model rewrites the parameters.
    Reflection,
    /// The model or a person chooses another way.
    Action,
    /// Nobody: the infrastructure recovers or does not.
    System,
}

/// Consequences of a category.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CategoryRow {
    /// The category.
    pub category: ToolErrorCategory,
    /// Its permanent name in JSON, TOML and the feedback block.
    pub label: &'static str,
    /// Phase in which it arises.
    pub phase: ErrorPhase,
    /// Party that has to act.
    pub domain: ErrorDomain,
    /// Whether the same call may work later.
    pub retryable: bool,
    /// Whether the failure indicates the quality of the model's call, not of the tool.
    pub quality_failure: bool,
    /// Whether the parameters should be rewritten.
    pub needs_parameter_reformat: bool,
    /// Advice for the model if the error itself has none.
    pub suggestion: &'static str,
}

const fn row(
    category: ToolErrorCategory,
    label: &'static str,
    phase: ErrorPhase,
    domain: ErrorDomain,
    suggestion: &'static str,
) -> CategoryRow {
    use ToolErrorCategory as C;
    CategoryRow {
        category,
        label,
        phase,
        domain,
        retryable: matches!(category, C::RateLimited | C::ServerError | C::NetworkError | C::Timeout),
        quality_failure: matches!(category, C::InvalidParameters | C::TypeMismatch | C::ToolNotFound),
        needs_parameter_reformat: matches!(category, C::InvalidParameters | C::TypeMismatch),
        suggestion,
    }
}

impl ToolErrorCategory {
    /// The one table: a row per category, in the order of the variants.
    pub const TABLE: [CategoryRow; 11] = {
        use ErrorDomain as D;
        use ErrorPhase as P;
        use ToolErrorCategory as C;
        [
            row(C::ToolNotFound, "tool_not_found", P::Setup, D::Planning, "Use one of the tools that are listed."),
            row(
                C::InvalidParameters,
                "invalid_parameters",
                P::ParamHandling,
                D::Reflection,
                "Correct the named parameters and call again.",
            ),
            row(
                C::TypeMismatch,
                "type_mismatch",
                P::ParamHandling,
                D::Reflection,
                "Pass the named parameters with the JSON types of the schema.",
            ),
            row(
                C::PolicyBlocked,
                "policy_blocked",
                P::Execution,
                D::Action,
                "Do not try this again; reach the goal another way or tell the user what is needed.",
            ),
            row(
                C::ConfirmationRequired,
                "confirmation_required",
                P::Execution,
                D::Action,
                "A person has to agree first; ask the user.",
            ),
            row(
                C::PermanentFailure,
                "permanent_failure",
                P::Execution,
                D::Action,
                "The same call will fail again; read the error and change the approach.",
            ),
            row(C::Cancelled, "cancelled", P::Execution, D::Action, "Go on only if the user still wants it."),
            row(C::RateLimited, "rate_limited", P::Execution, D::System, "Wait before calling again."),
            row(C::ServerError, "server_error", P::Execution, D::System, "The other side failed; try again later."),
            row(
                C::NetworkError,
                "network_error",
                P::Execution,
                D::System,
                "The other side was not reached; try later.",
            ),
            row(C::Timeout, "timeout", P::Execution, D::System, "Ask for less at once, or allow more time."),
        ]
    };

    /// Everything that follows from this category.
    pub fn row(self) -> &'static CategoryRow {
        &Self::TABLE[self as usize]
    }

    /// The permanent name.
    pub fn label(self) -> &'static str {
        self.row().label
    }

    /// Phase in which it arises.
    pub fn phase(self) -> ErrorPhase {
        self.row().phase
    }

    /// Party that has to act.
    pub fn domain(self) -> ErrorDomain {
        self.row().domain
    }

    /// Whether the same call may work later.
    pub fn is_retryable(self) -> bool {
        self.row().retryable
    }

    /// Whether the parameters should be rewritten.
    pub fn needs_parameter_reformat(self) -> bool {
        self.row().needs_parameter_reformat
    }

    /// Transient exactly for the retryable categories.
    pub fn kind(self) -> ErrorKind {
        if self.is_retryable() { ErrorKind::Transient } else { ErrorKind::Permanent }
    }
}

impl fmt::Display for ToolErrorCategory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_stands_at_its_category_and_bears_its_serialized_name() {
        for row in &ToolErrorCategory::TABLE {
            assert_eq!(row.category.row(), row);
            assert_eq!(serde_json::to_value(row.category).unwrap(), row.label);
        }
    }

    #[test]
    fn the_sets_are_the_documented_ones() {
        let labels = |pick: fn(&CategoryRow) -> bool| -> Vec<&str> {
            ToolErrorCategory::TABLE.iter().filter(|row| pick(row)).map(|row| row.label).collect()
        };
        assert_eq!(labels(|r| r.retryable), ["rate_limited", "server_error", "network_error", "timeout"]);
        assert_eq!(labels(|r| r.quality_failure), ["tool_not_found", "invalid_parameters", "type_mismatch"]);
        assert_eq!(labels(|r| r.needs_parameter_reformat), ["invalid_parameters", "type_mismatch"]);
        assert_eq!(labels(|r| r.phase == ErrorPhase::Setup), ["tool_not_found"]);
        assert_eq!(labels(|r| r.phase == ErrorPhase::ParamHandling), ["invalid_parameters", "type_mismatch"]);
        assert_eq!(labels(|r| r.category.kind() == ErrorKind::Transient), labels(|r| r.retryable));
    }
}
