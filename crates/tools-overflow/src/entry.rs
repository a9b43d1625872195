//! Reads a stored output. Only the chunks of the requested window are fetched, however long the
//! output is.

use std::{fmt, ops::Range};

use crate::{
    Facts, Key, OverflowError, OverflowStore, SearchLimit, SearchResult,
    chunk::{CHUNK, unpack},
    search::{Search, compile},
};

/// Number of chunks that a search reads at once.
const BATCH: u64 = 16;

/// A stored output that may be read.
pub struct Entry<'a> {
    store: &'a dyn OverflowStore,
    key: Key<'a>,
    facts: Facts,
}

impl fmt::Debug for Entry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("key", &self.key).field("facts", &self.facts).finish_non_exhaustive()
    }
}

/// The requested part of an output, as far as it fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Its text.
    pub text: String,
    /// Its range of bytes in the whole.
    pub bytes: Range<u64>,
    /// Number of line feeds in it.
    pub line_feeds: u64,
}

impl<'a> Entry<'a> {
    pub(crate) fn new(store: &'a dyn OverflowStore, key: Key<'a>, facts: Facts) -> Self {
        Self { store, key, facts }
    }

    /// Its facts.
    pub fn facts(&self) -> Facts {
        self.facts
    }

    /// These bytes of the output; fewer at its end.
    ///
    /// # Errors
    /// When the store fails or its data is damaged.
    pub async fn bytes(&self, range: Range<u64>) -> Result<Vec<u8>, OverflowError> {
        let range = range.start.min(self.facts.bytes)..range.end.min(self.facts.bytes);
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let numbers = range.start / CHUNK as u64..range.end.div_ceil(CHUNK as u64);
        let wanted = usize::try_from(range.end - range.start).map_err(OverflowError::store)?;
        let mut bytes = Vec::with_capacity(wanted);
        // Less than a chunk: it is the remainder of a division by its length.
        let mut skip = usize::try_from(range.start % CHUNK as u64).unwrap_or(0);
        for data in self.store.chunks(self.key, numbers).await? {
            let chunk = unpack(&data)?;
            let part = chunk.get(skip..).ok_or(OverflowError::Damaged)?;
            bytes.extend_from_slice(&part[..part.len().min(wanted - bytes.len())]);
            skip = 0;
        }
        if bytes.len() == wanted { Ok(bytes) } else { Err(OverflowError::Damaged) }
    }

    /// The byte at which a line of the original begins, from line 1. For a line that is not stored,
    /// that of the line that replaces it.
    ///
    /// # Errors
    /// [`OverflowError::BehindEnd`] when there are fewer lines.
    pub async fn line_start(&self, line: u64) -> Result<u64, OverflowError> {
        let behind = || OverflowError::BehindEnd {
            position: format!("line {line}"),
            length: format!("{} lines", self.facts.original_lines()),
        };
        let line = self.facts.stored_line(line);
        if line > self.facts.lines.max(1) {
            return Err(behind());
        }
        let Some(lines) = line.checked_sub(1).filter(|lines| *lines > 0) else { return Ok(0) };
        let (number, before) = self.store.chunk_of_line(self.key, lines).await?.ok_or_else(behind)?;
        let start = number * CHUNK as u64;
        let chunk = self.bytes(start..start + CHUNK as u64).await?;
        let nth = usize::try_from(lines - before - 1).map_err(OverflowError::store)?;
        let line_feed = memchr::memchr_iter(b'\n', &chunk).nth(nth).ok_or(OverflowError::Damaged)?;
        Ok(start + line_feed as u64 + 1)
    }

    /// The byte after a line of the original; the end when there is no such line.
    ///
    /// # Errors
    /// When the store fails or its data is damaged.
    pub async fn line_end(&self, line: u64) -> Result<u64, OverflowError> {
        let next = self.facts.stored_line(line).saturating_add(1);
        if next > self.facts.lines {
            return Ok(self.facts.bytes);
        }
        self.line_start(self.facts.original_line(next)).await
    }

    /// These lines of the original, from line 1; fewer at its end.
    ///
    /// # Errors
    /// [`OverflowError::BehindEnd`] when even the first line does not exist.
    pub async fn lines(&self, first: u64, count: u64) -> Result<Vec<u8>, OverflowError> {
        let start = self.line_start(first).await?;
        let end = if count == 0 { start } else { self.line_end(first.max(1).saturating_add(count - 1)).await? };
        self.bytes(start..end).await
    }

    /// The text from byte `start` on: at most `lines` lines and `budget` bytes, cut between lines
    /// if possible.
    ///
    /// # Errors
    /// [`OverflowError::BehindEnd`] when the text ends before.
    pub async fn page(&self, start: u64, lines: u64, budget: usize) -> Result<Page, OverflowError> {
        if start > 0 && start >= self.facts.bytes {
            let (position, length) = (format!("byte {start}"), format!("{} bytes", self.facts.bytes));
            return Err(OverflowError::BehindEnd { position, length });
        }
        let bytes = self.bytes(start..start.saturating_add(budget as u64)).await?;
        // If the start is inside a character, the rest of that character is skipped.
        let skipped = bytes.iter().take(3).take_while(|byte| **byte & 0b1100_0000 == 0b1000_0000).count();
        let all = &bytes[skipped..];
        let nth = usize::try_from(lines).unwrap_or(usize::MAX).saturating_sub(1);
        let wanted = memchr::memchr_iter(b'\n', all).nth(nth).map(|at| at + 1);
        let ended = start + bytes.len() as u64 == self.facts.bytes;
        let last_line = || memchr::memrchr(b'\n', all).map(|at| at + 1);
        let end = wanted.or_else(|| if ended { None } else { last_line() }).unwrap_or(all.len());
        let text = match std::str::from_utf8(&all[..end]) {
            Ok(text) => text.to_owned(),
            // A character that the budget cuts moves to the next page.
            Err(error) => String::from_utf8_lossy(&all[..error.valid_up_to()]).into_owned(),
        };
        let start = start + skipped as u64;
        let line_feeds = memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64;
        Ok(Page { bytes: start..start + text.len() as u64, line_feeds, text })
    }

    /// The lines of these bytes that match a regular expression, as many as fit, and the total
    /// number of matches. The bytes begin with line `line` of the original; line numbers are those
    /// of the original.
    ///
    /// # Errors
    /// [`OverflowError::Pattern`], or when the store fails or its data is damaged.
    pub async fn matches(
        &self,
        pattern: &str,
        bytes: Range<u64>,
        line: u64,
        most: SearchLimit,
    ) -> Result<SearchResult, OverflowError> {
        let mut search = Search::new(compile(pattern)?, line, most, self.facts.gap);
        let mut at = bytes.start;
        let last = bytes.end.min(self.facts.bytes);
        while at < last {
            let end = last.min((at / CHUNK as u64 + BATCH) * CHUNK as u64);
            let bytes = self.bytes(at..end).await?;
            // A hostile pattern takes linear but long time, so the search does not run on the
            // runtime's threads.
            let searched = tokio::task::spawn_blocking(move || {
                search.push(&bytes);
                search
            });
            search = searched.await.map_err(OverflowError::store)?;
            at = end;
        }
        Ok(search.finish())
    }
}
