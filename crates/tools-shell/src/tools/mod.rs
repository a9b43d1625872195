//! The tools beside `bash`: reading and ending what it runs in the background.

mod job_kill;
mod job_read;
mod job_text;

pub use job_kill::{JobKill, JobKillArgs};
pub use job_read::{JobRead, JobReadArgs};
