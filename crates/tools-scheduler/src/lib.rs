//! Calls and prompts at later times: the tools `schedule_periodic`, `schedule_deferred` and
//! `cancel_task`.
//!
//! A task is stored in a [`TaskStore`] before it takes effect. [`Scheduler`] is the background
//! loop: tools and operators send it commands, and in serving mode it passes due tasks to a
//! [`Dispatch`]. A run is stored before it starts, so that no task runs twice for the same time,
//! whatever is killed and however many processes serve one store.
//!
//! Nobody is assumed to be present when a task runs: the policy in force at that time decides, and
//! calls that would ask are refused.

mod cron;
mod when;
mod zone;

mod due;
mod task;

mod store;

mod dispatch;
mod scheduler;
mod serve;

mod config;
mod error;
mod tools;

pub use config::{CatchUp, SchedulerConfig, SchedulerPolicy, UnattendedPolicy};
pub use cron::CronLine;
pub use dispatch::{Dispatch, DueTask};
pub use error::ScheduleError;
pub use scheduler::Scheduler;
#[cfg(feature = "postgres")]
pub use store::PostgresTasks;
pub use store::{Claim, SqliteTasks, TaskStore};
pub use task::{Schedule, ScheduledTask, Task, TaskName};
pub use tools::{CallPredictor, SchedulerTools};
pub use when::parse_when;
pub use zone::parse_zone;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
