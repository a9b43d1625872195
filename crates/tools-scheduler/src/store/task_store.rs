//! Interface of a store of tasks. It does not decide when a task is due.

use async_trait::async_trait;
use jiff::Timestamp;

use crate::{ScheduleError, ScheduledTask, SchedulerPolicy, TaskName};

/// A run that this process must make, and no other makes.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The task.
    pub task: ScheduledTask,
    /// The time for which it runs.
    pub due: Timestamp,
}

/// Stores tasks. Called by [`crate::Scheduler`]. Every method can fail with an error of the store.
#[async_trait]
pub trait TaskStore: Send + Sync + std::fmt::Debug {
    /// Stores a task; with `replace` it may replace one with its name.
    ///
    /// # Errors
    /// [`ScheduleError::Exists`], [`ScheduleError::TooMany`], and errors of the store.
    async fn put(&self, task: ScheduledTask, replace: bool, most: u64) -> Result<(), ScheduleError>;

    /// Removes a task; `None` if there is none with this name.
    async fn remove(&self, workdir: &str, name: &TaskName) -> Result<Option<ScheduledTask>, ScheduleError>;

    /// The tasks of a folder, by name.
    async fn list(&self, workdir: &str) -> Result<Vec<ScheduledTask>, ScheduleError>;

    /// The earliest due time of the tasks of a folder; `None` if there is none.
    async fn next(&self, workdir: &str) -> Result<Option<Timestamp>, ScheduleError>;

    /// Claims up to `most` due runs and stores that they are made: on return, no other call in any
    /// process gets them, whatever happens to this one. A running task is not claimed again before
    /// it ends or its lease expires.
    async fn claim(
        &self,
        workdir: &str,
        owner: &str,
        now: Timestamp,
        policy: &SchedulerPolicy,
        most: usize,
    ) -> Result<Vec<Claim>, ScheduleError>;

    /// Claims a run of a task that is not due: its schedule does not change. `None` if there is no
    /// task with this name.
    ///
    /// # Errors
    /// [`ScheduleError::Running`], and errors of the store.
    async fn claim_now(
        &self,
        workdir: &str,
        name: &TaskName,
        owner: &str,
        now: Timestamp,
        policy: &SchedulerPolicy,
    ) -> Result<Option<Claim>, ScheduleError>;

    /// Renews the lease of a running task.
    async fn renew(&self, claim: &Claim, owner: &str, until: Timestamp) -> Result<(), ScheduleError>;

    /// Stores the result of a run, and releases the lease.
    async fn finish(&self, claim: &Claim, owner: &str, status: &str) -> Result<(), ScheduleError>;
}
