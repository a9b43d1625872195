//! Stores of memories: the interface, and two databases that implement it, each with a word index.

mod memory_store;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "postgres")]
mod postgres_words;
mod queries;
mod rows;
mod sqlite;
mod sqlite_words;

pub use memory_store::{Embedding, Filter, Limits, MemoryStore, RankedMemory, StoreOutcome, Vector};
#[cfg(feature = "postgres")]
pub use postgres::PostgresMemories;
pub use sqlite::SqliteMemories;
