//! Stores of tasks: the interface, and two databases that implement it.

#[cfg(feature = "postgres")]
mod postgres;
mod queries;
mod seam;
mod sqlite;

#[cfg(feature = "postgres")]
pub use postgres::PostgresTasks;
pub use seam::{Claim, TaskStore};
pub use sqlite::SqliteTasks;
