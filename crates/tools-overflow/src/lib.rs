//! Stores long output. A model sees the head, the tail and the lines that report failures, and can
//! read the rest from a store in parts.
//!
//! [`OverflowLayer`] stores every output that is shown only in part; text that is too long to hold
//! is stored while it arrives. [`ReadOverflow`] reads stored output. Both use an [`Archive`] on an
//! [`OverflowStore`]: in memory, in SQLite (feature `sqlite`) or in PostgreSQL (feature
//! `postgres`). An entry is visible only to the conversation that created it.
//!
//! ```
//! use std::sync::Arc;
//! use tools_overflow::{Archive, InMemoryStore, OverflowConfig};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), tools_overflow::OverflowError> {
//! let archive = Archive::new(Arc::new(InMemoryStore::default()), &OverflowConfig::default());
//! let stored = archive.keep("conversation", "one\ntwo\nthree\n").await?;
//! let entry = archive.open("conversation", stored.reference).await?;
//! assert_eq!(entry.lines(2, 1).await?, b"two\n");
//! assert!(archive.open("another", stored.reference).await.is_err());
//! # Ok(())
//! # }
//! ```

mod chunk;
mod reference;
mod split;
mod view;

mod store;

mod archive;
mod entry;
mod search;
mod writer;

mod config;
mod error;
mod intake;
mod layer;
mod live;
mod notice;
mod read_overflow;

pub use archive::{Archive, MissingPart, StoredOutput};
pub use chunk::Chunk;
pub use config::{MAX_OVERFLOW_BYTES, OverflowConfig, THRESHOLD};
pub use entry::{Entry, Page};
pub use error::OverflowError;
pub use layer::OverflowLayer;
pub use live::LiveOverflow;
pub use read_overflow::ReadOverflow;
pub use reference::{InvalidReference, Reference};
pub use search::{MAX_PATTERN, SearchLimit, SearchResult};
pub use split::{CutUnit, Hole, split};
#[cfg(feature = "postgres")]
pub use store::postgres::PostgresStore;
#[cfg(feature = "sqlite")]
pub use store::sqlite::SqliteStore;
pub use store::{Facts, InMemoryStore, Key, LineGap, NewEntry, OverflowStore};
pub use view::Pin;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
