//! The three tools, and their common parts.

mod cancel_task;
mod executors;
mod foresight;
mod schedule_deferred;
mod schedule_periodic;
mod shared;

pub use foresight::StackForesight;
pub use shared::SchedulerTools;
