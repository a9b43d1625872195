//! Interface to whatever runs a due task.

use async_trait::async_trait;
use jiff::Timestamp;

use crate::{Task, TaskName};

/// A task that is due.
#[derive(Debug, Clone, PartialEq)]
pub struct DueTask {
    /// The name of the task.
    pub name: TaskName,
    /// The values in force.
    pub task: Task,
    /// The time for which it runs.
    pub due: Timestamp,
    /// Caller of the run: [`crate::ScheduledTask::caller_id`].
    pub caller: String,
}

/// Runs due tasks: each in its own session, behind all gates in their current state, with nobody to
/// ask. Called exactly once for each run.
#[async_trait]
pub trait Dispatch: Send + Sync {
    /// Runs a task. The result is one line for the list of tasks.
    ///
    /// # Errors
    /// Why it failed, in one line.
    async fn run(&self, firing: DueTask) -> Result<String, String>;
}
