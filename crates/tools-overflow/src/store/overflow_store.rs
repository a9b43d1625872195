//! The interface of a store: entries by name and owner, in chunks.

use std::ops::Range;

use async_trait::async_trait;

use crate::{OverflowError, Reference, chunk::Chunk};

/// Key of an entry: its name and its owner. Neither is enough alone.
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
    /// Lines of its text; text after the last line feed counts as a line.
    pub lines: u64,
    /// Bytes of the original that are not stored because it was too long.
    pub lost: u64,
    /// The lost lines in the original; `None` when nothing is lost, or an earlier version stored
    /// it.
    pub gap: Option<LineGap>,
}

/// Lines of an original that are not stored, from 1. One line replaces them; it has the number of
/// the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineGap {
    /// The first lost line.
    pub first: u64,
    /// The last lost line.
    pub last: u64,
}

impl Facts {
    /// The number of lines of the original.
    pub fn original_lines(&self) -> u64 {
        self.gap.map_or(self.lines, |gap| self.lines + (gap.last - gap.first))
    }

    /// The line of the stored text for a line of the original; for a lost line, the line that
    /// replaces it.
    pub(crate) fn stored_line(&self, original: u64) -> u64 {
        match self.gap {
            Some(gap) if original > gap.last => original - (gap.last - gap.first),
            Some(gap) => original.min(gap.first),
            None => original,
        }
    }

    /// The last line of the original that a stored line stands for.
    pub(crate) fn last_original_line(&self, stored: u64) -> u64 {
        self.gap.filter(|gap| gap.first == stored).map_or_else(|| self.original_line(stored), |gap| gap.last)
    }

    /// The number in the original of a stored line.
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
    /// Its name and owner.
    pub key: Key<'a>,
    /// Creation time in microseconds since 1970.
    pub created_at: i64,
    /// Its facts.
    pub facts: Facts,
    /// Its text, in order.
    pub chunks: Vec<Chunk>,
}

impl NewEntry<'_> {
    /// Bytes it takes in the store.
    pub fn stored_bytes(&self) -> u64 {
        self.chunks.iter().map(|chunk| chunk.data.len() as u64).sum()
    }
}

/// Stores long output for [`crate::Archive`]. A store only decides how bytes are kept.
///
/// Every method may be dropped at any await. Acknowledged data is stored; other data may or may not
/// be.
#[async_trait]
pub trait OverflowStore: Send + Sync {
    /// Stores a complete entry. Once this returns, other processes can read it too.
    async fn put(&self, entry: NewEntry<'_>) -> Result<(), OverflowError>;

    /// Starts an entry whose text arrives in pieces. Readers do not see it until it is sealed, but
    /// its bytes count towards the limit.
    async fn begin(&self, key: Key<'_>, created_at: i64) -> Result<(), OverflowError>;

    /// Adds chunks to a started entry; `first` is the number of the first of them.
    ///
    /// # Errors
    /// [`OverflowError::NotFound`] also when the entry was removed meanwhile to make room.
    async fn append(&self, key: Key<'_>, first: u64, chunks: Vec<Chunk>) -> Result<(), OverflowError>;

    /// Ends a started entry. Once this returns, other processes can read it too.
    ///
    /// # Errors
    /// As for [`OverflowStore::append`].
    async fn seal(&self, key: Key<'_>, facts: Facts) -> Result<(), OverflowError>;

    /// Removes an entry, sealed or not.
    async fn remove(&self, key: Key<'_>) -> Result<(), OverflowError>;

    /// The facts of an entry; `None` when the conversation has no such entry.
    async fn facts(&self, key: Key<'_>) -> Result<Option<Facts>, OverflowError>;

    /// At most `most` readable entries of a conversation, newest first; only those after `after` if
    /// given. Empty when that entry no longer exists.
    async fn entries(
        &self,
        conversation: &str,
        after: Option<Reference>,
        most: u32,
    ) -> Result<Vec<(Reference, Facts)>, OverflowError>;

    /// The chunks with these numbers, in order. Fewer at the end of the entry; none if there is no
    /// such entry.
    async fn chunks(&self, key: Key<'_>, numbers: Range<u64>) -> Result<Vec<Vec<u8>>, OverflowError>;

    /// The number of the last chunk before which fewer than `lines` lines end, and how many do.
    async fn chunk_of_line(&self, key: Key<'_>, lines: u64) -> Result<Option<(u64, u64)>, OverflowError>;

    /// The conversation of an entry: for an operator, never for a model.
    async fn conversation_of(&self, reference: Reference) -> Result<Option<String>, OverflowError>;

    /// Removes a conversation and all its entries; returns their number.
    async fn remove_conversation(&self, conversation: &str) -> Result<u64, OverflowError>;

    /// Removes entries made before `created_at`, then the oldest until the rest takes at most
    /// `most_bytes` bytes; returns the number of removed entries.
    async fn clean(&self, created_at: i64, most_bytes: Option<u64>) -> Result<u64, OverflowError>;
}
