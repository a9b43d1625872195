//! Stores of tasks: the interface, and two databases that implement it.

#[cfg(feature = "postgres")]
mod postgres;
mod queries;
mod sqlite;
mod task_store;

#[cfg(feature = "postgres")]
pub use postgres::PostgresTasks;
pub use sqlite::SqliteTasks;
pub use task_store::{Claim, TaskStore};
