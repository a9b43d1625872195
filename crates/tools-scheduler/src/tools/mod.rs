//! The three tools, and their common parts.

mod cancel_task;
mod executors;
mod prediction;
mod schedule_deferred;
mod schedule_periodic;
mod shared;

pub use prediction::CallPredictor;
pub use shared::SchedulerTools;
