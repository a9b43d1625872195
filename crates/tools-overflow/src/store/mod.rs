//! The stores of long output: the interface and its implementations in memory, SQLite and
//! PostgreSQL. They hold chunks without knowing their content.

mod memory;
mod overflow_store;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod queries;
#[cfg(feature = "sqlite")]
pub(crate) mod sqlite;
#[cfg(feature = "sqlite")]
mod sqlite_log;

pub use memory::InMemoryStore;
pub use overflow_store::{Facts, Key, LineGap, NewEntry, OverflowStore};
