//! The tools beside `bash`: they read and end background commands.

mod job_kill;
mod job_read;
mod job_text;

pub use job_kill::{JobKill, JobKillArgs};
pub use job_read::{JobRead, JobReadArgs};
