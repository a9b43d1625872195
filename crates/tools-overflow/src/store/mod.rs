//! Where long output lies: the seam that a memory, SQLite and PostgreSQL stand behind. Chunks go in
//! and come out; what they are made of and what is read of them is not decided here.

mod memory;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod queries;
mod seam;
#[cfg(feature = "sqlite")]
pub(crate) mod sqlite;
#[cfg(feature = "sqlite")]
mod sqlite_log;

pub use memory::InMemoryStore;
pub use seam::{Facts, Key, LineGap, NewEntry, OverflowStore};
