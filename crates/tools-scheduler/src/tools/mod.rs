//! The three tools, and what they share.

mod cancel_task;
mod executors;
mod foresight;
mod schedule_deferred;
mod schedule_periodic;
mod shared;

pub use foresight::StackForesight;
pub use shared::SchedulerTools;
