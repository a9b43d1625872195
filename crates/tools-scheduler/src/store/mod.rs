//! Where tasks lie: the seam, and SQLite behind it.

mod seam;
mod sqlite;

pub use seam::{Claim, TaskStore};
pub use sqlite::SqliteTasks;
