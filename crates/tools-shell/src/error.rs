//! Errors of commands, and the category of tool error of each.

use std::time::Duration;

use tools_core::{ElsewhereError, ToolError, ToolErrorCategory as Category};
use tools_sandbox::process::SpawnError;

use crate::blocklist::Objection;
use crate::transaction::SnapshotError;

/// The reason why a call of `bash` failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ShellError {
    #[error("the command is blocked: {}", .0.why)]
    Blocked(Objection),
    #[error("the command is empty")]
    Empty,
    #[error("the command holds a NUL character")]
    Nul,
    #[error("the command was stopped after {:.1} s", after.as_secs_f64())]
    TimedOut { after: Duration },
    #[error("the command was stopped: it took too much of {what}")]
    OverLimit { what: String },
    #[error("the command waited for an answer to `{question}` and was stopped")]
    AwaitsInput { question: String },
    #[error("the program cannot be executed (exit code 126)")]
    NotExecutable,
    #[error("the program was not found (exit code 127)")]
    NotFound,
    #[error("an allowed path cannot be used: `{path}`")]
    AllowedPath { path: String },
    #[error("the working directory is `/` and no folders are named, so that commands could change everything")]
    Everything,
    #[error("the folders that commands may write are too large to be searched for secret files")]
    Unexamined,
    #[error("there is no job `{id}` in this session")]
    UnknownJob { id: String, known: Vec<String> },
    #[error(transparent)]
    Elsewhere(#[from] ElsewhereError),
    #[error("`publish`: {0}")]
    Publish(&'static str),
    #[error("port {port} was not published: {why}")]
    NotPublished { port: u16, why: String },
    #[error("{most} commands run in the background already")]
    TooManyJobs { most: usize },
    #[error("the files could not be copied beforehand, and `snapshot_required` is set: {0}")]
    Snapshot(SnapshotError),
    #[error(transparent)]
    Spawn(#[from] SpawnError),
}

#[cfg(test)]
impl PartialEq for ShellError {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl From<ShellError> for ToolError {
    fn from(error: ShellError) -> Self {
        let error = match error {
            ShellError::Spawn(spawn) => return spawn.into(),
            ShellError::Elsewhere(elsewhere) => return elsewhere.into(),
            other => other,
        };
        let (category, code, advice) = match &error {
            ShellError::Blocked(objection) => (Category::PolicyBlocked, "command_blocked", Some(objection.instead)),
            ShellError::Unexamined => (
                Category::PolicyBlocked,
                "workspace_unexamined",
                Some("name smaller folders in `tools.shell.allowed_paths`, or remove what fills the workspace"),
            ),
            ShellError::Everything => (
                Category::PolicyBlocked,
                "everything_allowed",
                Some("Tell the user: calls need a working directory, or folders in `tools.shell.allowed_paths`."),
            ),
            ShellError::Empty | ShellError::Nul => (Category::InvalidParameters, "invalid_command", None),
            ShellError::TimedOut { .. } => (
                Category::Timeout,
                "command_timeout",
                Some(
                    "What it printed until then is kept. Ask for less at once, or run it with `background: true` and read it with `job_read`.",
                ),
            ),
            ShellError::OverLimit { .. } => (
                Category::PermanentFailure,
                "temporary_files_full",
                Some("Remove what is not needed below `$TMPDIR`, or write less there."),
            ),
            ShellError::AwaitsInput { .. } => (
                Category::PermanentFailure,
                "input_required",
                Some(
                    "Commands have no input: pass an option that answers (`-y`, `--yes`, `--non-interactive`) or pipe the answer in (`printf 'y\\n' | …`).",
                ),
            ),
            ShellError::NotExecutable => (
                Category::PolicyBlocked,
                "not_executable",
                Some(
                    "Make the file executable (`chmod +x`) or run it with its interpreter; a folder is not a program.",
                ),
            ),
            ShellError::NotFound => {
                (Category::PermanentFailure, "command_not_found", Some("Use a program that is installed."))
            }
            ShellError::AllowedPath { .. } => (Category::PermanentFailure, "allowed_path", None),
            ShellError::UnknownJob { .. } => (Category::InvalidParameters, "unknown_job", None),
            ShellError::TooManyJobs { .. } => (
                Category::PermanentFailure,
                "too_many_jobs",
                Some("End one with `job_kill`, or wait until one has ended."),
            ),
            ShellError::Publish(_) => (Category::InvalidParameters, "invalid_ports", None),
            ShellError::NotPublished { .. } => (
                Category::PermanentFailure,
                "port_not_published",
                Some("Nothing was started. Let the server listen on another port, and publish that one."),
            ),
            ShellError::Snapshot(_) => (Category::PermanentFailure, "snapshot_failed", None),
            ShellError::Spawn(_) => (Category::PermanentFailure, "spawn_failed", None),
            ShellError::Elsewhere(_) => (Category::PermanentFailure, ElsewhereError::CODE, None),
        };
        let text = error.to_string();
        let made = ToolError::new(category, code, text);
        if let ShellError::UnknownJob { known, .. } = &error {
            return made.with_suggestion(match known.as_slice() {
                [] => "No command was started in the background, or those that were are forgotten.".to_owned(),
                known => format!("The jobs of this session: {}.", known.join(", ")),
            });
        }
        match advice {
            Some(advice) => made.with_suggestion(advice),
            None => made,
        }
    }
}
