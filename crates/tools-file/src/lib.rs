//! Ten file tools: `read`, `write`, `edit`, `grep`, `find_path`, `list_directory`,
//! `create_directory`, `delete_path`, `move_path`, `copy_path`.
//!
//! [`tools_sandbox`] opens every path beneath an allowed root; nothing here opens a file by its
//! path alone.
//!
//! ```
//! use tools_core::{CallContext, Shared, Stack, ToolCall};
//! use tools_file::FileConfig;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let dir = tempfile::tempdir()?;
//! std::fs::write(dir.path().join("a.txt"), "one\ntwo\n")?;
//! let policy = FileConfig::default().compile(dir.path(), None)?;
//! let stack = Stack::new(vec![], tools_file::executor(Shared::new(policy)));
//! let call = ToolCall::new("read", serde_json::json!({"path": "a.txt", "offset": 1}))?;
//! let output = stack.dispatch(call, &CallContext::new(dir.path())).await?;
//! assert_eq!(output.summary, "     2\ttwo\n[lines 2-2 of 2]");
//! # Ok(())
//! # }
//! ```

mod config;
mod lint;
mod tools;

mod cancel;
mod digest;
mod error;
mod memory;
mod workspace;

mod converted;
mod diff;
mod legible;
mod lines;
mod splice;
mod stamps;
mod text;

mod atomic;
mod copy;
mod predict;
mod remove;
mod temporary_files;
mod temporary_name;
mod tree;

mod first_hits;
mod ignore_rules;
mod media;
mod obeyed;
mod search;
mod walk;

mod survey;

pub use config::{FileConfig, FilePolicy, PathRestriction};
pub use diff::diff;
pub use memory::SeenFiles;
pub use survey::Survey;
pub use tools::{executor, executors, executors_over};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
