//! What a store is asked for: entries by name and owner, in chunks.

use std::ops::Range;

use async_trait::async_trait;

use crate::{OverflowError, Reference, chunk::Chunk};

/// Which entry: its name, and whose it is. Neither is enough alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key<'a> {
    /// The conversation that asks.
    pub conversation: &'a str,
    /// What it asks for.
    pub reference: Reference,
}

/// What is known of an entry without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// Bytes of its text.
    pub bytes: u64,
    /// Lines of its text; what follows the last line feed counts as one.
    pub lines: u64,
    /// Bytes of the original that are not stored, because it was too long.
    pub lost: u64,
}

/// An output to store.
#[derive(Debug, Clone)]
pub struct NewEntry<'a> {
    /// Its name, and whose it is.
    pub key: Key<'a>,
    /// When it was made, in microseconds since 1970.
    pub created_at: i64,
    /// What is known of it.
    pub facts: Facts,
    /// Its text, in order.
    pub chunks: Vec<Chunk>,
}

impl NewEntry<'_> {
    /// Bytes it takes.
    pub fn stored_bytes(&self) -> u64 {
        self.chunks.iter().map(|chunk| chunk.data.len() as u64).sum()
    }
}

/// Keeps long output. Called by [`crate::Archive`]; a store decides nothing but how bytes lie.
///
/// Every method may be dropped at any await: what was not acknowledged may or may not be there, what was is.
#[async_trait]
pub trait OverflowStore: Send + Sync {
    /// Stores an entry whole; it can be read, also by other processes, once this returns.
    async fn put(&self, entry: NewEntry<'_>) -> Result<(), OverflowError>;

    /// What is known of an entry; `None` when there is none of this name in this conversation.
    async fn facts(&self, key: Key<'_>) -> Result<Option<Facts>, OverflowError>;

    /// The chunks with these numbers, in order; fewer at the end of the entry, none where there is no entry.
    async fn chunks(&self, key: Key<'_>, numbers: Range<u64>) -> Result<Vec<Vec<u8>>, OverflowError>;

    /// The number of the last chunk before which fewer than `lines` lines end, and how many do.
    async fn chunk_of_line(&self, key: Key<'_>, lines: u64) -> Result<Option<(u64, u64)>, OverflowError>;

    /// Whose entry this is: for an operator, never for a model.
    async fn conversation_of(&self, reference: Reference) -> Result<Option<String>, OverflowError>;

    /// Forgets a conversation and all that it stored; says how many entries went.
    async fn remove_conversation(&self, conversation: &str) -> Result<u64, OverflowError>;

    /// Removes the entries made before `created_at`, and then the oldest until those that are left take no more than
    /// `most_bytes` bytes; says how many went.
    async fn clean(&self, created_at: i64, most_bytes: Option<u64>) -> Result<u64, OverflowError>;
}
