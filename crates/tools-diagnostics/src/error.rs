//! Errors of a `diagnostics` call, with their categories.

use tools_core::{ToolError, ToolErrorCategory as Category, quoted};
use tools_sandbox::PathError;
use tools_sandbox::process::SpawnError;

/// Reason why a call failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DiagnosticsError {
    #[error("there is nothing to check at `{path}`: {looked_for} is neither there nor above it")]
    NoProject { path: String, looked_for: String },
    #[error("no checker knows `{path}`, which is in no project; they know {known}")]
    NoChecker { path: String, known: String },
    #[error("there is no project to check at `{path}`; C and C++ files are checked one at a time")]
    FilesOnly { path: String, example: String },
    #[error("there is no project to check at `{path}`, but below it")]
    ProjectsBelow { path: String, projects: Vec<String> },
    #[error("`{command}` could not check the project (exit code {code}):\n{words}")]
    Failed { command: String, code: i32, words: String, advice: Option<&'static str> },
    #[error("`{command}` was ended by signal {signal}:\n{words}")]
    Signal { command: String, signal: i32, words: String },
    #[error("`{command}` was stopped after {seconds} s{}", last_said(.doing.as_deref()))]
    TimedOut { command: String, seconds: u64, doing: Option<String> },
    #[error("the folders that checkers may write are too large to be searched for secret files")]
    Unexamined,
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Spawn(#[from] SpawnError),
}

fn last_said(line: Option<&str>) -> String {
    line.map_or_else(String::new, |line| format!(", while it said `{line}`"))
}

impl From<DiagnosticsError> for ToolError {
    fn from(error: DiagnosticsError) -> Self {
        let advice_by_file = match &error {
            DiagnosticsError::FilesOnly { example, .. } => {
                Some(format!("Name a file as `path`, for example `{example}`."))
            }
            DiagnosticsError::ProjectsBelow { projects, .. } => {
                Some(format!("Name one of them as `path`: {}.", quoted(projects.iter().take(8))))
            }
            _ => None,
        };
        let (category, code, advice) = match error {
            DiagnosticsError::Path(error) => return error.into(),
            DiagnosticsError::Spawn(error) => return error.into(),
            DiagnosticsError::Unexamined => (Category::PolicyBlocked, "workspace_unexamined", None),
            DiagnosticsError::FilesOnly { .. } | DiagnosticsError::ProjectsBelow { .. } => {
                (Category::InvalidParameters, "no_project", None)
            }
            DiagnosticsError::NoChecker { .. } => {
                (Category::InvalidParameters, "no_project", Some("Check it with a command."))
            }
            DiagnosticsError::NoProject { .. } => (
                Category::InvalidParameters,
                "no_project",
                Some("Name the directory of a project, or a file in one, as `path`."),
            ),
            DiagnosticsError::Failed { advice, .. } => (Category::PermanentFailure, "check_failed", advice),
            DiagnosticsError::Signal { .. } => (Category::PermanentFailure, "check_killed", None),
            DiagnosticsError::TimedOut { .. } => (
                Category::Timeout,
                "check_timeout",
                Some("What was found until then is kept. What was built stays: the next call starts from there."),
            ),
        };
        let made = Self::new(category, code, error.to_string());
        match advice.map(str::to_owned).or(advice_by_file) {
            Some(advice) => made.with_suggestion(advice),
            None => made,
        }
    }
}
