//! Errors of scheduled tasks, and their categories.

use jiff::Timestamp;
use thiserror::Error;
use tools_core::{ErrorDetail, ToolError, ToolErrorCategory, VisibleText, either};
use tools_store::StoreError;

use crate::TaskName;

/// Reason why a task was not stored, cancelled or run.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum ScheduleError {
    /// Invalid name of a task.
    #[error("`{}` is not a valid name of a task: 1 to 64 of `a-z`, `0-9`, `_` and `-` are expected", VisibleText::of(.0))]
    Name(String),
    /// Invalid cron line.
    #[error("`cron` cannot be used: {0}")]
    Cron(String),
    /// The cron line has no time.
    #[error("`cron` names a date that never comes")]
    Never,
    /// The times of the cron line are too close.
    #[error("`cron` comes every {found} seconds, and at least {least} are between two runs")]
    TooOften { found: i64, least: i64 },
    /// Invalid time.
    #[error("`{}` is not a valid time: {problem}", VisibleText::of(text))]
    When { text: String, problem: String },
    /// The time has passed.
    #[error("{at} has passed: it is {now} now")]
    Past { at: Timestamp, now: Timestamp },
    /// Unknown time zone.
    #[error("there is no time zone `{}`: a name as `Europe/Berlin` is expected", VisibleText::of(.0))]
    Zone(String),
    /// A parameter is out of bounds.
    #[error("{0}")]
    Parameter(String),
    /// A task with this name exists.
    #[error("there is a task `{0}` already: `replace = true` puts this one in its place")]
    Exists(TaskName),
    /// There is no task with this name.
    #[error("there is no task `{name}`")]
    NotFound { name: TaskName, near: Vec<String> },
    /// The task is running.
    #[error("the task `{0}` runs just now")]
    Running(TaskName),
    /// The maximum number of tasks is reached.
    #[error("there are {0} tasks in this folder, which is as many as there may be")]
    TooMany(u64),
    /// The queue of commands is full.
    #[error("the scheduler has more to do than it can take")]
    Full,
    /// The loop has ended.
    #[error("the scheduler has ended")]
    Ended,
    /// The stored data differs from the data that was written.
    #[error("the store of tasks is damaged: {0} cannot be read")]
    Damaged(String),
    /// The store failed.
    #[error("the store of tasks cannot be used: {0}")]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for ScheduleError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

impl From<ScheduleError> for ToolError {
    fn from(error: ScheduleError) -> Self {
        use ScheduleError as E;
        use ToolErrorCategory as C;
        let (category, code) = match &error {
            E::Name(_)
            | E::Cron(_)
            | E::Never
            | E::TooOften { .. }
            | E::When { .. }
            | E::Past { .. }
            | E::Zone(_)
            | E::Parameter(_) => (C::InvalidParameters, "invalid_schedule"),
            E::Exists(_) => (C::InvalidParameters, "task_exists"),
            E::NotFound { .. } => (C::PermanentFailure, "task_not_found"),
            E::Running(_) => (C::PermanentFailure, "task_running"),
            E::TooMany(_) => (C::PolicyBlocked, "quota_blocked"),
            E::Full => (C::ServerError, "scheduler_full"),
            E::Ended => (C::PermanentFailure, "scheduler_ended"),
            E::Store(store) if store.is_passing() => (C::ServerError, "scheduler_busy"),
            E::Store(StoreError::Runtime) => (C::PermanentFailure, "no_runtime"),
            E::Store(StoreError::Newer { .. }) => (C::PermanentFailure, "scheduler_newer"),
            E::Damaged(_) | E::Store(StoreError::Damaged(_) | StoreError::Foreign) => {
                (C::PermanentFailure, "scheduler_damaged")
            }
            E::Store(_) => (C::PermanentFailure, "scheduler_failed"),
        };
        let suggestion = match &error {
            E::NotFound { near, .. } if !near.is_empty() => Some(format!("Did you mean {}?", either(near))),
            E::TooMany(_) => {
                Some("Cancel one with `cancel_task`, or ask the user to raise `scheduler.max_tasks`.".to_owned())
            }
            _ => None,
        };
        let mut tool_error = Self::new(category, code, error.to_string());
        if matches!(error, E::NotFound { .. } | E::Running(_)) {
            tool_error = tool_error.with_detail(ErrorDetail::OfTheCall);
        }
        let tool_error = tool_error.with_source(error);
        match suggestion {
            Some(suggestion) => tool_error.with_suggestion(suggestion),
            None => tool_error,
        }
    }
}
