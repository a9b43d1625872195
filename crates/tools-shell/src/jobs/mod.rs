//! Background commands: their output, the task that follows each, and the table that owns them.

mod follow;
mod job;
mod log;
mod table;

pub(crate) use follow::NewJob;
pub(crate) use job::Job;

pub use job::{JobReport, JobState};
pub use table::Jobs;
