//! What a store is asked for: entries by name and owner, in chunks.

use std::ops::Range;

use async_trait::async_trait;

use crate::{OverflowError, Reference, chunk::Chunk};

/// Key of an entry: its name, and whose it is. Neither is enough alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key<'a> {
    /// The conversation that asks.
    pub conversation: &'a str,
    /// The reference.
    pub reference: Reference,
}

/// Facts about an entry that are known without reading it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Facts {
    /// Bytes of its text.
    pub bytes: u64,
    /// Lines of its text; what follows the last line feed counts as one.
    pub lines: u64,
    /// Bytes of the original that are not stored, because it was too long.
    pub lost: u64,
    /// Range of those lines in the original; `None` when nothing is lost, or an earlier version
    /// stored it.
    pub gap: Option<LineGap>,
}

/// Lines of an original that are not stored, from 1. One line in their place says so; it has the
/// number of the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineGap {
    /// The first of them.
    pub first: u64,
    /// The last of them.
    pub last: u64,
}

impl Facts {
    /// The number of lines of the original.
    pub fn original_lines(&self) -> u64 {
        self.gap.map_or(self.lines, |gap| self.lines + (gap.last - gap.first))
    }

    /// Which line of the stored text a line of the original is; the line in the place of those that
    /// are not stored, for one of them.
    pub(crate) fn stored_line(&self, original: u64) -> u64 {
        match self.gap {
            Some(gap) if original > gap.last => original - (gap.last - gap.first),
            Some(gap) => original.min(gap.first),
            None => original,
        }
    }

    /// The last line of the original that a line of the stored text stands for.
    pub(crate) fn last_original_line(&self, stored: u64) -> u64 {
        self.gap.filter(|gap| gap.first == stored).map_or_else(|| self.original_line(stored), |gap| gap.last)
    }

    /// The number in the original of a line of the stored text.
    pub(crate) fn original_line(&self, stored: u64) -> u64 {
        match self.gap {
            Some(gap) if stored > gap.first => stored + (gap.last - gap.first),
            _ => stored,
        }
    }
}

/// An output to store.
#[derive(Debug, Clone)]
pub struct NewEntry<'a> {
    /// Its name, and whose it is.
    pub key: Key<'a>,
    /// When it was made, in microseconds since 1970.
    pub created_at: i64,
    /// Its facts.
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
/// Every method may be dropped at any await: what was not acknowledged may or may not be there,
/// what was is.
#[async_trait]
pub trait OverflowStore: Send + Sync {
    /// Stores an entry whole; it can be read, also by other processes, once this returns.
    async fn put(&self, entry: NewEntry<'_>) -> Result<(), OverflowError>;

    /// Begins an entry whose text comes in pieces. It is not there for readers until it is sealed;
    /// its bytes count.
    async fn begin(&self, key: Key<'_>, created_at: i64) -> Result<(), OverflowError>;

    /// Adds chunks to an entry that was begun, the first of them having this number.
    ///
    /// # Errors
    /// [`OverflowError::NotFound`] also when it was removed meanwhile to make room.
    async fn append(&self, key: Key<'_>, first: u64, chunks: Vec<Chunk>) -> Result<(), OverflowError>;

    /// Ends an entry that was begun; it can be read, also by other processes, once this returns.
    ///
    /// # Errors
    /// As for [`OverflowStore::append`].
    async fn seal(&self, key: Key<'_>, facts: Facts) -> Result<(), OverflowError>;

    /// Removes an entry, sealed or not.
    async fn remove(&self, key: Key<'_>) -> Result<(), OverflowError>;

    /// What is known of an entry; `None` when there is none of this name in this conversation.
    async fn facts(&self, key: Key<'_>) -> Result<Option<Facts>, OverflowError>;

    /// At most `most` of the entries of a conversation that can be read, newest first; those behind
    /// the entry `after`, where one is named. None where there is no such entry any more.
    async fn entries(
        &self,
        conversation: &str,
        after: Option<Reference>,
        most: u32,
    ) -> Result<Vec<(Reference, Facts)>, OverflowError>;

    /// The chunks with these numbers, in order; fewer at the end of the entry, none where there is
    /// no entry.
    async fn chunks(&self, key: Key<'_>, numbers: Range<u64>) -> Result<Vec<Vec<u8>>, OverflowError>;

    /// The number of the last chunk before which fewer than `lines` lines end, and how many do.
    async fn chunk_of_line(&self, key: Key<'_>, lines: u64) -> Result<Option<(u64, u64)>, OverflowError>;

    /// Whose entry this is: for an operator, never for a model.
    async fn conversation_of(&self, reference: Reference) -> Result<Option<String>, OverflowError>;

    /// Forgets a conversation and all that it stored; says how many entries went.
    async fn remove_conversation(&self, conversation: &str) -> Result<u64, OverflowError>;

    /// Removes the entries made before `created_at`, and then the oldest until those that are left
    /// take no more than `most_bytes` bytes; says how many went.
    async fn clean(&self, created_at: i64, most_bytes: Option<u64>) -> Result<u64, OverflowError>;
}
