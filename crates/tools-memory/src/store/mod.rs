//! Where memories lie: the seam, and SQLite behind it.

mod seam;
mod sqlite;

pub use seam::{Embedding, Filter, Limits, MemoryStore, Ranked, Stored, Vector};
pub use sqlite::SqliteMemories;
