//! The seam to whatever runs a task that is due.

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
    /// On whose behalf: [`crate::ScheduledTask::caller_id`].
    pub caller: String,
}

/// Runs what is due: in a session of its own, behind all gates as they are now, with nobody to ask.
/// Called once for each run, never again for the same.
#[async_trait]
pub trait Dispatch: Send + Sync {
    /// Runs a task. What comes back is one line for the list of tasks.
    ///
    /// # Errors
    /// Why it failed, in one line.
    async fn run(&self, firing: DueTask) -> Result<String, String>;
}
