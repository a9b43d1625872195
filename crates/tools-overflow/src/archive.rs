//! What layer, tool and command line hold: a store, and how much of what it may keep for how long.

use std::{
    borrow::Cow,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use tools_core::{Clock, SystemClock};

use crate::{
    Entry, Facts, Key, NewEntry, OverflowConfig, OverflowError, OverflowStore, Reference,
    chunk::{Chunk, chunks, count_lines},
};

/// Texts from this size on are compressed off the runtime.
const LARGE: usize = 128 << 10;
const MICROSECONDS_PER_DAY: i64 = 86_400_000_000;

/// A store of long output with its limits. Cheap to clone.
#[derive(Clone)]
pub struct Archive(Arc<Inner>);

struct Inner {
    store: Arc<dyn OverflowStore>,
    clock: Arc<dyn Clock>,
    retention: Option<i64>,
    max_bytes: u64,
    max_total: Option<u64>,
    /// Whether this process has looked for what is too old.
    cleaned: AtomicBool,
    /// Bytes stored since it last looked.
    unlooked: AtomicU64,
}

impl fmt::Debug for Archive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Archive").field("max_bytes", &self.0.max_bytes).finish_non_exhaustive()
    }
}

/// An output that was stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored {
    /// What to ask for it by.
    pub reference: Reference,
    /// What is known of it.
    pub facts: Facts,
}

impl Archive {
    /// A store under the limits of a configuration.
    pub fn new(store: Arc<dyn OverflowStore>, config: &OverflowConfig) -> Self {
        Self::with_clock(store, config, Arc::new(SystemClock))
    }

    /// The same under another clock.
    pub fn with_clock(store: Arc<dyn OverflowStore>, config: &OverflowConfig, clock: Arc<dyn Clock>) -> Self {
        let limit = |number: u64| (number > 0).then_some(number);
        Self(Arc::new(Inner {
            store,
            clock,
            retention: limit(config.retention_days.into()).map(|_| i64::from(config.retention_days)),
            max_bytes: limit(config.max_overflow_bytes).unwrap_or(u64::MAX),
            max_total: limit(config.max_total_bytes),
            cleaned: AtomicBool::new(false),
            unlooked: AtomicU64::new(0),
        }))
    }

    /// The same store under the limits of another configuration.
    pub fn limited(&self, config: &OverflowConfig) -> Self {
        Self::with_clock(Arc::clone(&self.0.store), config, Arc::clone(&self.0.clock))
    }

    /// How many bytes of one output are stored.
    pub fn max_bytes(&self) -> u64 {
        self.0.max_bytes
    }

    /// Stores a text for a conversation. It can be read once this returns.
    ///
    /// # Errors
    /// When the store fails; nothing is stored then.
    pub async fn keep(&self, conversation: &str, text: impl Into<Arc<str>>) -> Result<Stored, OverflowError> {
        let text: Arc<str> = text.into();
        let max = usize::try_from(self.0.max_bytes).unwrap_or(usize::MAX);
        let (facts, chunks) = if text.len() > LARGE {
            tokio::task::spawn_blocking(move || prepare(&text, max)).await.map_err(OverflowError::store)?
        } else {
            prepare(&text, max)
        };
        let reference = Reference::generate();
        let created_at = self.0.clock.now().as_microsecond();
        let entry = NewEntry { key: Key { conversation, reference }, created_at, facts, chunks };
        let bytes = entry.stored_bytes();
        self.0.store.put(entry).await?;
        self.clean_when_due(bytes).await;
        Ok(Stored { reference, facts })
    }

    /// An output of a conversation, to be read.
    ///
    /// # Errors
    /// [`OverflowError::NotFound`] where there is none of this name in this conversation.
    pub async fn open<'a>(&'a self, conversation: &'a str, reference: Reference) -> Result<Entry<'a>, OverflowError> {
        let key = Key { conversation, reference };
        let facts = self.0.store.facts(key).await?.ok_or(OverflowError::NotFound)?;
        Ok(Entry::new(self.0.store.as_ref(), key, facts))
    }

    /// Whose output this is: for an operator, who may read any; `None` where there is none of this name.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn conversation_of(&self, reference: Reference) -> Result<Option<String>, OverflowError> {
        self.0.store.conversation_of(reference).await
    }

    /// Forgets all that a conversation stored.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn remove_conversation(&self, conversation: &str) -> Result<u64, OverflowError> {
        self.0.store.remove_conversation(conversation).await
    }

    /// Removes what is too old, and the oldest of what is too much. Done by itself when a process first stores something
    /// and whenever a sixteenth of the limit came in.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn clean(&self) -> Result<u64, OverflowError> {
        let now = self.0.clock.now().as_microsecond();
        let oldest = self.0.retention.map_or(i64::MIN, |days| now.saturating_sub(days * MICROSECONDS_PER_DAY));
        self.0.store.clean(oldest, self.0.max_total).await
    }

    async fn clean_when_due(&self, bytes: u64) {
        let first = !self.0.cleaned.swap(true, Ordering::Relaxed);
        let unlooked = self.0.unlooked.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if !first && self.0.max_total.is_none_or(|most| unlooked < most / 16) {
            return;
        }
        self.0.unlooked.store(0, Ordering::Relaxed);
        if let Err(error) = self.clean().await {
            tracing::warn!(%error, "old output could not be removed from its store");
        }
    }
}

fn prepare(text: &str, max: usize) -> (Facts, Vec<Chunk>) {
    let (text, lost) = capped(text, max);
    let bytes = text.as_bytes();
    let unended = !bytes.is_empty() && !bytes.ends_with(b"\n");
    let facts = Facts { bytes: bytes.len() as u64, lines: count_lines(bytes) + u64::from(unended), lost: lost as u64 };
    (facts, chunks(bytes))
}

/// What of a text is stored: all of it, or its two ends around a line that says how much is missing.
fn capped(text: &str, max: usize) -> (Cow<'_, str>, usize) {
    if text.len() <= max {
        return (Cow::Borrowed(text), 0);
    }
    let head = &text[..text.floor_char_boundary(max / 2)];
    let tail = &text[text.ceil_char_boundary(text.len() - max / 2)..];
    let lost = text.len() - head.len() - tail.len();
    let line_end = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
    (Cow::Owned(format!("{head}{line_end}[... {lost} bytes are not stored ...]\n{tail}")), lost)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_text_that_is_too_long_the_ends_are_stored() {
        assert_eq!(capped("abcdef", 6), (Cow::Borrowed("abcdef"), 0));
        let (stored, lost) = capped("äääääb", 5);
        assert_eq!((stored.as_ref(), lost), ("ä\n[... 8 bytes are not stored ...]\nb", 8));
    }
}
