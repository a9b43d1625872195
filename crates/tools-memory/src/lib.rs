//! What a model wants to know again: the tools `memory_save` and `memory_search`.
//!
//! A memory belongs to a project, to the user or to a session, and is found in no other.
//! [`Memories`] is what the tools and an operator work with; the entries lie behind a
//! [`MemoryStore`], of which [`SqliteMemories`] is one. Ranking is by words, and by meaning too
//! where the host brings an [`tools_core::Embedder`].
//!
//! What was saved by a session that had read text from outside is marked, and shown within a frame
//! that says that it is data: [`MemoryLayer`] takes note of what sessions read.

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
