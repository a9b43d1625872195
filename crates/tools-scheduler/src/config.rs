//! The section `[scheduler]`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_core::{KeyFault, Shared, SystemClock};

use crate::{Scheduler, SqliteTasks, TaskStore};

/// Calls and prompts at later times. `haft schedule serve` runs them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SchedulerConfig {
    /// Whether the tools `schedule_periodic`, `schedule_deferred` and `cancel_task` exist.
    #[schemars(extend("x-applies" = "next_start", "x-overlay" = false))]
    pub enabled: bool,
    /// The file that stores scheduled tasks; a relative path starts in `haft` in the user's state
    /// folder.
    #[schemars(extend("x-applies" = "next_start"))]
    pub path: PathBuf,
    /// The `postgres://` address of a server that stores tasks for several machines; needs a build
    /// with the feature `postgres`. Empty: the file in `scheduler.path`.
    #[schemars(extend("x-applies" = "next_start"))]
    pub database: String,
    /// Maximum number of scheduled tasks of one folder. Tasks without a further run do not count.
    #[schemars(extend("x-overlay" = "lower"))]
    pub max_tasks: u64,
    /// Minimum number of seconds between two runs of a task.
    pub min_interval_secs: u64,
    /// Treatment of missed runs: `none` skips them, `once` makes one run for all of them, `all`
    /// makes each of them.
    pub catch_up: CatchUp,
    /// Maximum age in seconds of a missed run that is still made up for.
    pub grace_secs: u64,
    /// Whether a person is asked before a task is stored, even if a rule allows the call: the task
    /// runs later, when no person can be asked.
    #[schemars(extend("x-overlay" = true))]
    pub confirm_create: bool,
    /// Treatment of a call of a task that needs a person's approval: `deny_on_ask` refuses it.
    pub unattended: UnattendedPolicy,
}

/// Treatment of missed times.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CatchUp {
    /// They are left out.
    None,
    /// One run stands for all of them.
    #[default]
    Once,
    /// Each is made up for.
    All,
}

/// Treatment of a task's call that would ask a person.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UnattendedPolicy {
    /// It is refused.
    #[default]
    DenyOnAsk,
}

impl Default for SchedulerConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            path: PathBuf::from("scheduler/tasks.db"),
            database: String::new(),
            max_tasks: 50,
            min_interval_secs: 60,
            catch_up: CatchUp::default(),
            grace_secs: 3_600,
            confirm_create: true,
            unattended: UnattendedPolicy::default(),
        }
    }
}

/// The compiled section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchedulerPolicy {
    /// Maximum number of tasks of a folder.
    pub max_tasks: u64,
    /// Minimum time between two runs of a task.
    pub min_interval: SignedDuration,
    /// Treatment of missed times.
    pub catch_up: CatchUp,
    /// Maximum age of a missed time.
    pub grace: SignedDuration,
    /// Whether a person is asked before a task is stored.
    pub confirm_create: bool,
    /// Time after which a running task is released unless its process renews the lease.
    pub lease: SignedDuration,
}

/// Maximum duration in seconds: a century.
const MAX_SECS: u64 = 3_155_760_000;

impl SchedulerConfig {
    /// Opens the tasks of the section, below the user's `state` folder; `None` if they are
    /// disabled.
    ///
    /// # Errors
    /// An invalid value.
    pub fn open(&self, state: &Path) -> Result<Option<Scheduler>, KeyFault> {
        if !self.enabled {
            return Ok(None);
        }
        let policy = Shared::new(self.compile()?);
        Ok(Some(Scheduler::new(self.store(state)?, policy, Arc::new(SystemClock))))
    }

    /// Compiles the section.
    ///
    /// # Errors
    /// An invalid bound.
    pub fn compile(&self) -> Result<SchedulerPolicy, KeyFault> {
        let wrong = |key: &str, problem: &str| Err(KeyFault::new(key, problem));
        if self.max_tasks == 0 {
            return wrong("max_tasks", "at least 1; `enabled = false` takes the tools away");
        }
        if self.path.file_name().is_none() {
            return wrong("path", "a file is expected");
        }
        let seconds = |key: &str, secs: u64| match i64::try_from(secs) {
            Ok(signed) if secs <= MAX_SECS => Ok(SignedDuration::from_secs(signed)),
            _ => Err(KeyFault::new(key, format!("at most {MAX_SECS}"))),
        };
        Ok(SchedulerPolicy {
            max_tasks: self.max_tasks,
            min_interval: seconds("min_interval_secs", self.min_interval_secs)?,
            catch_up: self.catch_up,
            grace: seconds("grace_secs", self.grace_secs)?,
            confirm_create: self.confirm_create,
            lease: SignedDuration::from_secs(60),
        })
    }

    /// The store: the file, whose relative path starts in the folder `state`, or the database. It
    /// is opened at the first use.
    ///
    /// # Errors
    /// A database that this build does not support.
    pub fn store(&self, state: &Path) -> Result<Arc<dyn TaskStore>, KeyFault> {
        if self.database.is_empty() {
            return Ok(Arc::new(SqliteTasks::at(state.join(&self.path))));
        }
        #[cfg(feature = "postgres")]
        return match crate::PostgresTasks::at(&self.database) {
            Ok(store) => Ok(Arc::new(store)),
            Err(_) => Err(KeyFault::new("database", tools_store::NO_ADDRESS)),
        };
        #[cfg(not(feature = "postgres"))]
        Err(KeyFault::new("database", tools_store::NO_SERVERS))
    }
}
