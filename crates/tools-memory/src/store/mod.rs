//! Stores of memories: the interface, and two databases that implement it, each with a word index.

#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "postgres")]
mod postgres_words;
mod queries;
mod rows;
mod seam;
mod sqlite;
mod sqlite_words;

#[cfg(feature = "postgres")]
pub use postgres::PostgresMemories;
pub use seam::{Embedding, Filter, Limits, MemoryStore, RankedMemory, StoreOutcome, Vector};
pub use sqlite::SqliteMemories;
