//! A store in memory, which lives as long as the process.

use std::{
    collections::HashMap,
    ops::Range,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use async_trait::async_trait;

use crate::{Facts, Key, NewEntry, OverflowError, OverflowStore, Reference, chunk::Chunk};

/// A store in memory: for tests, and for hosts that want nothing on disk.
#[derive(Debug, Default)]
pub struct InMemoryStore {
    entries: Mutex<HashMap<Reference, StoredEntry>>,
    /// Number of entries created.
    made: AtomicU64,
}

#[derive(Debug)]
struct StoredEntry {
    conversation: String,
    /// Its position in the order of creation.
    number: u64,
    created_at: i64,
    /// `None` until it is sealed.
    facts: Option<Facts>,
    stored_bytes: u64,
    chunks: Vec<Chunk>,
}

impl InMemoryStore {
    fn entries(&self) -> MutexGuard<'_, HashMap<Reference, StoredEntry>> {
        // No change here panics half-way, so a poisoned lock is still consistent.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read<T>(&self, key: Key<'_>, look: impl FnOnce(&StoredEntry) -> T) -> Option<T> {
        self.entries().get(&key.reference).filter(|kept| kept.conversation == key.conversation).map(look)
    }

    /// Changes an unsealed entry.
    fn change(&self, key: Key<'_>, change: impl FnOnce(&mut StoredEntry)) -> Result<(), OverflowError> {
        let mut entries = self.entries();
        let kept = entries.get_mut(&key.reference);
        let kept = kept.filter(|kept| kept.conversation == key.conversation && kept.facts.is_none());
        kept.map(change).ok_or(OverflowError::NotFound)
    }
}

#[async_trait]
impl OverflowStore for InMemoryStore {
    async fn put(&self, entry: NewEntry<'_>) -> Result<(), OverflowError> {
        let kept = StoredEntry {
            conversation: entry.key.conversation.to_owned(),
            number: self.made.fetch_add(1, Ordering::Relaxed),
            created_at: entry.created_at,
            facts: Some(entry.facts),
            stored_bytes: entry.stored_bytes(),
            chunks: entry.chunks,
        };
        self.entries().insert(entry.key.reference, kept);
        Ok(())
    }

    async fn begin(&self, key: Key<'_>, created_at: i64) -> Result<(), OverflowError> {
        let conversation = key.conversation.to_owned();
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let kept = StoredEntry { conversation, number, created_at, facts: None, stored_bytes: 0, chunks: Vec::new() };
        self.entries().insert(key.reference, kept);
        Ok(())
    }

    async fn append(&self, key: Key<'_>, _: u64, chunks: Vec<Chunk>) -> Result<(), OverflowError> {
        self.change(key, |kept| {
            kept.stored_bytes += chunks.iter().map(|chunk| chunk.data.len() as u64).sum::<u64>();
            kept.chunks.extend(chunks);
        })
    }

    async fn seal(&self, key: Key<'_>, facts: Facts) -> Result<(), OverflowError> {
        self.change(key, |kept| kept.facts = Some(facts))
    }

    async fn remove(&self, key: Key<'_>) -> Result<(), OverflowError> {
        self.entries().retain(|reference, kept| *reference != key.reference || kept.conversation != key.conversation);
        Ok(())
    }

    async fn facts(&self, key: Key<'_>) -> Result<Option<Facts>, OverflowError> {
        Ok(self.read(key, |kept| kept.facts).flatten())
    }

    async fn entries(
        &self,
        conversation: &str,
        after: Option<Reference>,
        most: u32,
    ) -> Result<Vec<(Reference, Facts)>, OverflowError> {
        let entries = self.entries();
        let mut all: Vec<_> = entries
            .iter()
            .filter(|(_, kept)| kept.conversation == conversation)
            .filter_map(|(reference, kept)| Some((kept.number, *reference, kept.facts?)))
            .collect();
        all.sort_by_key(|(number, ..)| std::cmp::Reverse(*number));
        let begin = match after {
            Some(after) => match all.iter().position(|(_, reference, _)| *reference == after) {
                Some(at) => at + 1,
                None => return Ok(Vec::new()),
            },
            None => 0,
        };
        let page = all.into_iter().skip(begin).take(to_usize(most.into()));
        Ok(page.map(|(_, reference, facts)| (reference, facts)).collect())
    }

    async fn chunks(&self, key: Key<'_>, numbers: Range<u64>) -> Result<Vec<Vec<u8>>, OverflowError> {
        let (first, last) = (to_usize(numbers.start), to_usize(numbers.end));
        let take = |kept: &StoredEntry| {
            kept.chunks.iter().take(last).skip(first).map(|chunk| chunk.data.clone()).collect::<Vec<_>>()
        };
        Ok(self.read(key, take).unwrap_or_default())
    }

    async fn chunk_of_line(&self, key: Key<'_>, lines: u64) -> Result<Option<(u64, u64)>, OverflowError> {
        let find = |kept: &StoredEntry| {
            let before = kept.chunks.partition_point(|chunk| chunk.lines_before < lines);
            let number = before.checked_sub(1)?;
            Some((number as u64, kept.chunks[number].lines_before))
        };
        Ok(self.read(key, find).flatten())
    }

    async fn conversation_of(&self, reference: Reference) -> Result<Option<String>, OverflowError> {
        Ok(self.entries().get(&reference).map(|kept| kept.conversation.clone()))
    }

    async fn remove_conversation(&self, conversation: &str) -> Result<u64, OverflowError> {
        let mut entries = self.entries();
        let before = entries.len();
        entries.retain(|_, kept| kept.conversation != conversation);
        Ok((before - entries.len()) as u64)
    }

    async fn clean(&self, created_at: i64, most_bytes: Option<u64>) -> Result<u64, OverflowError> {
        let mut entries = self.entries();
        let before = entries.len();
        entries.retain(|_, kept| kept.created_at >= created_at);
        let mut taken: u64 = entries.values().map(|kept| kept.stored_bytes).sum();
        let most = most_bytes.unwrap_or(u64::MAX);
        if taken > most {
            let mut by_age: Vec<_> =
                entries.iter().map(|(name, kept)| (kept.created_at, *name, kept.stored_bytes)).collect();
            by_age.sort_by_key(|(created_at, ..)| *created_at);
            for (_, name, bytes) in by_age {
                if taken <= most {
                    break;
                }
                entries.remove(&name);
                taken -= bytes;
            }
        }
        Ok((before - entries.len()) as u64)
    }
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
