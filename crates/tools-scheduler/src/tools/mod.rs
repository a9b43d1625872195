//! The three tools, and what they share.

mod cancel_task;
mod schedule_deferred;
mod schedule_periodic;
mod shared;

pub use shared::SchedulerTools;
