//! Commands that run in the background: what they print, the task that follows each, and the table
//! that owns them all.

mod follow;
mod job;
mod log;
mod table;

pub(crate) use follow::NewJob;
pub(crate) use job::Job;

pub use job::{JobReport, JobState};
pub use table::Jobs;
