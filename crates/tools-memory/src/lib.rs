//! Memories for later sessions: the tools `memory_save` and `memory_search`.
//!
//! A memory belongs to a project, to the user or to a session, and is found only there.
//! [`Memories`] is the interface for the tools and for operators; the entries are in a
//! [`MemoryStore`], for example [`SqliteMemories`]. Ranking is by words, and also by meaning if the
//! host provides an [`tools_core::Embedder`].
//!
//! A memory saved by a session that had read text from outside is marked, and shown in a frame that
//! declares it as data: [`MemoryLayer`] notes what sessions read.

mod entry;
mod frame;
mod words;

mod store;

mod fusion;
mod memories;
mod project;

mod config;
mod error;
mod layer;
mod tainted_sessions;
mod tools;

pub use config::{FromUntrusted, MemoryConfig, MemoryPolicy, Ranking};
pub use entry::{Memory, MemoryKind, NewMemory, Scope};
pub use error::MemoryError;
pub use layer::MemoryLayer;
pub use memories::{Hit, ImportOutcome, Memories, SaveOutcome};
pub use project::project_of;
#[cfg(feature = "postgres")]
pub use store::PostgresMemories;
pub use store::{Embedding, Filter, Limits, MemoryStore, RankedMemory, SqliteMemories, StoreOutcome, Vector};
pub use tainted_sessions::TaintedSessions;
pub use tools::{ConversationHit, Conversations, MemoryTools, Passage};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
