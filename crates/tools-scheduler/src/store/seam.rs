//! What a store of tasks does. When a task is due is not decided here.

use async_trait::async_trait;
use jiff::Timestamp;

use crate::{ScheduleError, ScheduledTask, SchedulerPolicy, TaskName};

/// A run that this process has to make, and nobody else makes.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The task.
    pub task: ScheduledTask,
    /// The time for which it runs.
    pub due: Timestamp,
}

/// Stores tasks. Called by [`crate::Scheduler`]. Every method fails with what the store says.
#[async_trait]
pub trait TaskStore: Send + Sync + std::fmt::Debug {
    /// Stores a task; one of its name is replaced where `replace` says so.
    ///
    /// # Errors
    /// [`ScheduleError::Exists`], [`ScheduleError::TooMany`], and what the store says.
    async fn put(&self, task: ScheduledTask, replace: bool, most: u64) -> Result<(), ScheduleError>;

    /// Removes a task; `None` when there is none of that name.
    async fn remove(&self, workdir: &str, name: &TaskName) -> Result<Option<ScheduledTask>, ScheduleError>;

    /// The tasks of a folder, by name.
    async fn list(&self, workdir: &str) -> Result<Vec<ScheduledTask>, ScheduleError>;

    /// When the first of the tasks of a folder is due; `None` when none is.
    async fn next(&self, workdir: &str) -> Result<Option<Timestamp>, ScheduleError>;

    /// Takes the runs that are due, up to `most` of them, and writes that they are made: when this
    /// returns, no other call in any process gets them, whatever becomes of this one. A task that
    /// is running is not taken again before it ended or its lease did.
    async fn claim(
        &self,
        workdir: &str,
        owner: &str,
        now: Timestamp,
        policy: &SchedulerPolicy,
        most: usize,
    ) -> Result<Vec<Claim>, ScheduleError>;

    /// Writes that a task runs now although it is not due: its times stay as they are. `None` when
    /// there is none of that name.
    ///
    /// # Errors
    /// [`ScheduleError::Running`], and what the store says.
    async fn claim_now(
        &self,
        workdir: &str,
        name: &TaskName,
        owner: &str,
        now: Timestamp,
        policy: &SchedulerPolicy,
    ) -> Result<Option<Claim>, ScheduleError>;

    /// Keeps the lease of a task that still runs.
    async fn renew(&self, claim: &Claim, owner: &str, until: Timestamp) -> Result<(), ScheduleError>;

    /// Writes what became of a run, and gives the lease back.
    async fn finish(&self, claim: &Claim, owner: &str, status: &str) -> Result<(), ScheduleError>;
}
