//! The ten tools, one file each; `executors.rs` lists them.

mod read;

mod edit;
mod write;

mod file_globs;
mod find_path;
mod grep;
mod list_directory;
pub(crate) mod notes;

mod create_directory;
mod delete_path;

mod copy_path;
mod move_path;

mod executors;

pub use executors::{executor, executors, executors_over};
