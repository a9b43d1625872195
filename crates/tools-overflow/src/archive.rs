//! The archive that the layer, the tool and the command line share: a store and its limits for size
//! and age.

use std::{
    borrow::Cow,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use tools_core::{Clock, Gap, SystemClock};

use crate::{
    Entry, Facts, Key, LineGap, NewEntry, OverflowConfig, OverflowError, OverflowStore, Reference,
    chunk::{Chunk, chunks, count_lines},
};

/// Minimum bytes of a text that is compressed on another thread than the runtime's.
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
    /// Whether this process has already removed old entries.
    cleaned: AtomicBool,
    /// Bytes stored since the last cleaning.
    unlooked: AtomicU64,
}

impl fmt::Debug for Archive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Archive").field("max_bytes", &self.0.max_bytes).finish_non_exhaustive()
    }
}

/// An output that was stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredOutput {
    /// Reference of the stored output.
    pub reference: Reference,
    /// Its facts.
    pub facts: Facts,
    /// The part of the original that is not stored; `None` when all of it is.
    pub missing: Option<MissingPart>,
}

/// The part of an output that is not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissingPart {
    /// Bytes of the original.
    pub bytes: u64,
    /// The first line of the original that is missing, from 1.
    pub first: u64,
    /// The last line that is missing.
    pub last: u64,
}

impl Archive {
    /// An archive on a store with the limits of a configuration.
    pub fn new(store: Arc<dyn OverflowStore>, config: &OverflowConfig) -> Self {
        Self::with_clock(store, config, Arc::new(SystemClock))
    }

    /// The same with another clock.
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

    /// The same store with the limits of another configuration.
    pub fn limited(&self, config: &OverflowConfig) -> Self {
        Self::with_clock(Arc::clone(&self.0.store), config, Arc::clone(&self.0.clock))
    }

    /// The maximum number of stored bytes of one output.
    pub fn max_bytes(&self) -> u64 {
        self.0.max_bytes
    }

    /// Stores a text for a conversation. It can be read once this returns.
    ///
    /// # Errors
    /// When the store fails; nothing is stored then.
    pub async fn keep(&self, conversation: &str, text: impl Into<Arc<str>>) -> Result<StoredOutput, OverflowError> {
        self.keep_with_gap(conversation, text, None).await
    }

    /// Stores a text of which a part was already lost.
    ///
    /// # Errors
    /// As for [`Archive::keep`].
    pub async fn keep_with_gap(
        &self,
        conversation: &str,
        text: impl Into<Arc<str>>,
        gap: Option<Gap>,
    ) -> Result<StoredOutput, OverflowError> {
        let text: Arc<str> = text.into();
        let max = usize::try_from(self.0.max_bytes).unwrap_or(usize::MAX);
        let (facts, missing, chunks) = if text.len() > LARGE {
            tokio::task::spawn_blocking(move || prepare(&text, gap, max)).await.map_err(OverflowError::store)?
        } else {
            prepare(&text, gap, max)
        };
        let reference = Reference::generate();
        let created_at = self.0.clock.now().as_microsecond();
        let entry = NewEntry { key: Key { conversation, reference }, created_at, facts, chunks };
        let bytes = entry.stored_bytes();
        self.0.store.put(entry).await?;
        self.clean_when_due(bytes).await;
        Ok(StoredOutput { reference, facts, missing })
    }

    /// Starts an entry whose text arrives in pieces.
    pub(crate) async fn begin(&self, key: Key<'_>) -> Result<(), OverflowError> {
        self.0.store.begin(key, self.0.clock.now().as_microsecond()).await
    }

    pub(crate) async fn append(&self, key: Key<'_>, first: u64, chunks: Vec<Chunk>) -> Result<(), OverflowError> {
        let bytes = chunks.iter().map(|chunk| chunk.data.len() as u64).sum();
        self.0.store.append(key, first, chunks).await?;
        self.clean_when_due(bytes).await;
        Ok(())
    }

    pub(crate) async fn seal(&self, key: Key<'_>, facts: Facts) -> Result<(), OverflowError> {
        self.0.store.seal(key, facts).await
    }

    /// Removes an unfinished entry.
    pub(crate) async fn discard(&self, key: Key<'_>) {
        if let Err(error) = self.0.store.remove(key).await {
            // Cleaning removes it when it is too old.
            tracing::debug!(%error, "an output that was not finished stays in its store");
        }
    }

    /// Opens an output of a conversation for reading.
    ///
    /// # Errors
    /// [`OverflowError::NotFound`] when the conversation has no such output.
    pub async fn open<'a>(&'a self, conversation: &'a str, reference: Reference) -> Result<Entry<'a>, OverflowError> {
        let key = Key { conversation, reference };
        let facts = self.0.store.facts(key).await?.ok_or(OverflowError::NotFound)?;
        Ok(Entry::new(self.0.store.as_ref(), key, facts))
    }

    /// At most `most` outputs of a conversation, newest first; only those after `after` if given.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn entries(
        &self,
        conversation: &str,
        after: Option<Reference>,
        most: u32,
    ) -> Result<Vec<(Reference, Facts)>, OverflowError> {
        self.0.store.entries(conversation, after, most).await
    }

    /// The conversation of an output, for an operator, who may read any; `None` when there is no
    /// such output.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn conversation_of(&self, reference: Reference) -> Result<Option<String>, OverflowError> {
        self.0.store.conversation_of(reference).await
    }

    /// Removes everything that a conversation stored.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn remove_conversation(&self, conversation: &str) -> Result<u64, OverflowError> {
        self.0.store.remove_conversation(conversation).await
    }

    /// Removes entries that are too old, then the oldest until the size limit holds. Runs
    /// automatically when a process first stores something and after every sixteenth of the limit.
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

fn prepare(text: &str, gap: Option<Gap>, max: usize) -> (Facts, Option<MissingPart>, Vec<Chunk>) {
    let (text, missing) = capped(text, gap, max);
    let bytes = text.as_bytes();
    let unended = !bytes.is_empty() && !bytes.ends_with(b"\n");
    let lost = missing.map_or(0, |missing| missing.bytes);
    let gap = missing.map(|missing| LineGap { first: missing.first, last: missing.last });
    let facts = Facts { bytes: bytes.len() as u64, lines: count_lines(bytes) + u64::from(unended), lost, gap };
    (facts, missing, chunks(bytes))
}

/// The part of a text to store: all of it, or its two ends around a line that names the missing
/// lines of the original.
fn capped(text: &str, gap: Option<Gap>, max: usize) -> (Cow<'_, str>, Option<MissingPart>) {
    if gap.is_none() && text.len() <= max {
        return (Cow::Borrowed(text), None);
    }
    let at = gap.map_or(text.len() / 2, |gap| gap.at);
    let (mut head, mut tail) = (at, at);
    if text.len() > max {
        (head, tail) = (head.min(max / 2), tail.max(text.len() - max / 2));
        let (least, most) = (text.floor_char_boundary(head), text.ceil_char_boundary(tail));
        let line_end = text[..least].rfind('\n').map(|at| at + 1).filter(|at| least - at <= least / 4);
        let line_start =
            text[most..].find('\n').map(|at| most + at + 1).filter(|at| at - most <= (text.len() - most) / 4);
        (head, tail) = (line_end.unwrap_or(least), line_start.unwrap_or(most));
    }
    let (before, behind) = (&text[..head], &text[tail..]);
    let cut = count_lines(&text.as_bytes()[head..tail]);
    let lines = (cut + gap.map_or(0, |gap| gap.lines)).max(1);
    let bytes = (tail - head) as u64 + gap.map_or(0, |gap| gap.bytes);
    let first = count_lines(before.as_bytes()) + 1;
    let missing = MissingPart { bytes, first, last: first + lines - 1 };
    let line_end = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    let line = mark(first, missing.last, bytes);
    (Cow::Owned(format!("{before}{line_end}{line}{behind}")), Some(missing))
}

/// The line that replaces missing lines of the original.
pub(crate) fn mark(first: u64, last: u64, bytes: u64) -> String {
    format!("[... lines {first} to {last} of the original, {bytes} bytes, are not stored ...]\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_text_that_is_too_long_the_ends_are_stored() {
        assert_eq!(capped("abcdef", None, 6), (Cow::Borrowed("abcdef"), None));
        let (stored, missing) = capped("äääääb", None, 5);
        assert_eq!(stored, "ä\n[... lines 1 to 1 of the original, 8 bytes, are not stored ...]\nb");
        assert_eq!(missing, Some(MissingPart { bytes: 8, first: 1, last: 1 }));
    }

    #[test]
    fn what_was_missing_before_is_told_with_what_is_cut_now() {
        let lines = |range: std::ops::Range<u32>| range.map(|n| format!("line {n:03}\n")).collect::<Vec<_>>().concat();
        let (head, tail) = (lines(1..101), lines(901..1001));
        let gap = Gap { at: head.len(), bytes: 7200, lines: 800 };
        let text = format!("{head}{tail}");
        let (stored, missing) = capped(&text, Some(gap), usize::MAX);
        assert_eq!(missing, Some(MissingPart { bytes: 7200, first: 101, last: 900 }));
        assert_eq!(
            stored,
            format!("{head}[... lines 101 to 900 of the original, 7200 bytes, are not stored ...]\n{tail}")
        );
        let (stored, missing) = capped(&text, Some(gap), 900);
        let MissingPart { bytes, first, last } = missing.unwrap();
        let kept: Vec<&str> = stored.lines().filter(|line| line.starts_with("line")).collect();
        assert_eq!(kept.len() as u64 + (last - first + 1), 1000, "{stored}");
        let length: usize = kept.iter().map(|line| line.len() + 1).sum();
        assert_eq!(length as u64 + bytes, text.len() as u64 + 7200);
        assert!(stored.contains(&format!("line {:03}\n[... lines {first} to {last} ", first - 1)), "{stored}");
    }
}
