//! The three tools, and what they share.

mod cancel_task;
mod executors;
mod schedule_deferred;
mod schedule_periodic;
mod shared;

pub use shared::{Foresight, Prospect, SchedulerTools};
