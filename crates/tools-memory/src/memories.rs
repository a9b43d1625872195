//! Saves and finds memories in a store.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;
use tools_core::{Clock, Embedder, EmbedderError, Redactor, Shared, cosine};
use tools_store::StoreError;

use crate::fusion::fused;
use crate::{
    Embedding, Filter, Memory, MemoryError, MemoryPolicy, MemoryStore, NewMemory, Ranking, StoreOutcome, words,
};

/// Maximum number of characters of a memory.
pub(crate) const MAX_CONTENT: usize = 8_000;
/// Maximum number of tags of a memory; the next constant limits their length.
pub(crate) const MAX_TAGS: usize = 8;
const MAX_TAG: usize = 64;
/// Maximum size of a query in bytes.
const MAX_QUERY: usize = 64 << 10;
/// Maximum number of entries of each ranking that are merged.
const FUSED: usize = 100;

/// Memories, for the tools and for operators. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Memories {
    store: Arc<dyn MemoryStore>,
    policy: Shared<MemoryPolicy>,
    redactor: Arc<dyn Redactor>,
    clock: Arc<dyn Clock>,
    embedder: Option<Arc<dyn Embedder>>,
}

/// Result of saving a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaveOutcome {
    /// The memory that now contains the text.
    pub id: String,
    /// Whether it existed before.
    pub was_there: bool,
}

/// A memory that answers a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The memory.
    pub memory: Memory,
    /// Its score; higher is better. Comparable only between hits of one query.
    pub score: f64,
}

/// Result of importing a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportOutcome {
    /// It is stored.
    Stored,
    /// The store already has the identifier or text, or the memory has expired.
    Skipped,
}

impl Memories {
    /// Memories in `store`. A text in which `redactor` finds a credential is not saved.
    pub fn new(
        store: Arc<dyn MemoryStore>,
        policy: Shared<MemoryPolicy>,
        redactor: Arc<dyn Redactor>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { store, policy, redactor, clock, embedder: None }
    }

    /// Also ranks by meaning.
    #[must_use]
    pub fn embedded_by(self, embedder: Arc<dyn Embedder>) -> Self {
        Self { embedder: Some(embedder), ..self }
    }

    /// The policy, which can be replaced.
    pub fn live_policy(&self) -> &Shared<MemoryPolicy> {
        &self.policy
    }

    /// The policy in force.
    pub fn policy(&self) -> MemoryPolicy {
        *self.policy.load()
    }

    /// The time, by the clock of these memories.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Checks whether a text may be stored.
    ///
    /// # Errors
    /// [`MemoryError::Parameter`] if it is out of bounds or contains a NUL character, which
    /// PostgreSQL does not support; [`MemoryError::Secret`] for a credential.
    pub fn check(&self, content: &str, tags: &[String]) -> Result<(), MemoryError> {
        let wrong = |text: String| Err(MemoryError::Parameter(text));
        let length = content.chars().count();
        if content.trim().is_empty() {
            return wrong("`content` is empty".to_owned());
        }
        if length > MAX_CONTENT {
            return wrong(format!("`content` has {length} characters; at most {MAX_CONTENT} are saved"));
        }
        if tags.len() > MAX_TAGS {
            return wrong(format!("{} tags were given; at most {MAX_TAGS} are saved", tags.len()));
        }
        if let Some(tag) = tags.iter().find(|tag| tag.trim().is_empty() || tag.chars().count() > MAX_TAG) {
            return wrong(format!("the tag {tag:?} is not 1 to {MAX_TAG} characters long"));
        }
        if content.contains('\0') || tags.iter().any(|tag| tag.contains('\0')) {
            let field = if content.contains('\0') { "content" } else { "tags" };
            return wrong(format!("`{field}` has a NUL character, which is not stored: leave it out"));
        }
        if self.holds_credential(content) {
            return Err(MemoryError::Secret("in `content`"));
        }
        if tags.iter().any(|tag| self.holds_credential(tag)) {
            return Err(MemoryError::Secret("in `tags`"));
        }
        Ok(())
    }

    fn holds_credential(&self, text: &str) -> bool {
        matches!(self.redactor.redact(text), Cow::Owned(redacted) if redacted != text)
    }

    /// Saves a memory. On return it is stored, and the next search finds it.
    ///
    /// # Errors
    /// As [`Memories::check`], and errors of the store.
    pub async fn save(&self, new: NewMemory) -> Result<SaveOutcome, MemoryError> {
        self.check(&new.content, &new.tags)?;
        if let Some(id) = new.supersedes.as_ref().filter(|id| id.contains('\0')) {
            return Err(MemoryError::NotFound(id.replace('\0', "\u{fffd}")));
        }
        let embedding = self.embedded(&new.content).await;
        let id = uuid::Uuid::now_v7().simple().to_string();
        let stored = self.store.save(id, new, embedding, self.policy().limits, self.now()).await?;
        Ok(match stored {
            StoreOutcome::New(id) => SaveOutcome { id, was_there: false },
            StoreOutcome::Duplicate(id) => SaveOutcome { id, was_there: true },
        })
    }

    /// The memories that match a query, the best first; no match is not an error.
    ///
    /// # Errors
    /// [`MemoryError::Parameter`] for an empty or too long query, and errors of the store.
    pub async fn search(&self, query: &str, filter: &Filter, limit: usize) -> Result<Vec<Hit>, MemoryError> {
        if query.trim().is_empty() {
            return Err(MemoryError::Parameter("`query` is empty".to_owned()));
        }
        if query.len() > MAX_QUERY {
            return Err(MemoryError::Parameter(format!("`query` is longer than {MAX_QUERY} bytes")));
        }
        let now = self.now();
        if self.model().is_none() {
            let ranked = self.store.by_words(query, filter, limit, now).await?;
            return Ok(ranked.into_iter().map(|found| Hit { memory: found.memory, score: found.score }).collect());
        }
        let by_words = self.store.by_words(query, filter, FUSED, now).await?;
        let near = match self.embedded(query).await {
            Some(Embedding { by, vector }) => self.nearest(&vector, &by, filter, now).await?,
            None => vec![],
        };
        let words: Vec<&str> = by_words.iter().map(|found| found.memory.id.as_str()).collect();
        let scores = fused(&[words, near.iter().map(String::as_str).collect()]);
        let mut known: HashMap<&str, Memory> =
            by_words.iter().map(|found| (found.memory.id.as_str(), found.memory.clone())).collect();
        let mut hits = Vec::with_capacity(scores.len());
        for (id, score) in &scores {
            let memory = match known.remove(id) {
                Some(memory) => Some(memory),
                None => self.store.get(id).await?,
            };
            hits.extend(memory.map(|memory| Hit { memory, score: *score }));
        }
        best_first(&mut hits, limit);
        Ok(hits)
    }

    /// Like [`Memories::search`]. In a damaged store, the readable memories are searched word by
    /// word. The second value is the number of unreadable memories, and `None` for an intact store.
    ///
    /// # Errors
    /// As [`Memories::search`], and that the store is damaged if nothing is readable.
    pub async fn search_readable(
        &self,
        query: &str,
        filter: &Filter,
        limit: usize,
    ) -> Result<(Vec<Hit>, Option<u64>), MemoryError> {
        match self.search(query, filter, limit).await {
            Err(error) if is_damage(&error) => {}
            found => return found.map(|hits| (hits, None)),
        }
        let (all, lost) = self.store.readable().await?;
        let (asked, now) = (words::telling(query).unwrap_or_default(), self.now());
        let answers = |memory: Memory| {
            let text = words::indexed(&format!("{} {}", memory.content, memory.tags.join(" "))).to_lowercase();
            let there: HashSet<&str> = text.split(' ').collect();
            let shared = u32::try_from(asked.iter().filter(|word| there.contains(word.as_str())).count()).ok()?;
            (shared > 0 && filter.lets_through(&memory, now)).then(|| Hit { memory, score: f64::from(shared) })
        };
        let mut hits: Vec<Hit> = all.into_iter().filter_map(answers).collect();
        best_first(&mut hits, limit);
        Ok((hits, Some(lost)))
    }

    /// Identifiers of the memories with the nearest vectors, the nearest first.
    async fn nearest(
        &self,
        vector: &[f32],
        model: &str,
        filter: &Filter,
        now: Timestamp,
    ) -> Result<Vec<String>, MemoryError> {
        let vectors = self.store.vectors(model, filter, now).await?;
        let mut near: Vec<(f32, String)> = vectors
            .into_iter()
            .filter_map(|stored| Some((cosine(&stored.vector, vector).filter(|near| *near > 0.0)?, stored.id)))
            .collect();
        near.sort_by(|left, right| right.0.total_cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
        near.truncate(FUSED);
        Ok(near.into_iter().map(|(_, id)| id).collect())
    }

    /// The vector of a text; `None` without a model, or if it cannot compute one now. Such a text
    /// is found by its words.
    async fn embedded(&self, text: &str) -> Option<Embedding> {
        let (model, text) = (Arc::clone(self.model()?), text.to_owned());
        let made = tokio::task::spawn_blocking(move || {
            let vector = model.embed(&[&text])?.pop().unwrap_or_default();
            Ok::<_, EmbedderError>(Embedding { by: model.name().to_owned(), vector })
        });
        match made.await {
            Ok(Ok(embedding)) => Some(embedding).filter(|made| made.vector.iter().any(|part| *part != 0.0)),
            Ok(Err(error)) => {
                tracing::debug!(%error, "a memory has no vector");
                None
            }
            Err(error) => {
                tracing::warn!(%error, "the model of memories failed");
                None
            }
        }
    }

    fn model(&self) -> Option<&Arc<dyn Embedder>> {
        self.embedder.as_ref().filter(|_| self.policy().ranking == Ranking::Hybrid)
    }

    /// Notes in the background that memories were found.
    pub(crate) fn note_use(&self, hits: &[Hit]) {
        let ids: Vec<String> = hits.iter().map(|hit| hit.memory.id.clone()).collect();
        if ids.is_empty() {
            return;
        }
        let (store, now) = (Arc::clone(&self.store), self.now());
        tokio::spawn(async move {
            if let Err(error) = store.used(&ids, now).await {
                tracing::debug!(%error, "the use of memories was not noted");
            }
        });
    }

    /// One memory of any owner, for operators.
    pub async fn get(&self, id: &str) -> Result<Option<Memory>, MemoryError> {
        self.store.get(id).await
    }

    /// The memories that match a filter, the newest first; without a filter all of them, for
    /// operators.
    pub async fn list(&self, filter: Option<&Filter>) -> Result<Vec<Memory>, MemoryError> {
        self.store.list(filter).await
    }

    /// Like [`Memories::list`], with the readable memories of a damaged store. The second value is
    /// the number of unreadable memories, and `None` for an intact store.
    ///
    /// # Errors
    /// As [`Memories::list`], and that the store is damaged if nothing is readable.
    pub async fn list_readable(&self, filter: Option<&Filter>) -> Result<(Vec<Memory>, Option<u64>), MemoryError> {
        match self.list(filter).await {
            Err(error) if is_damage(&error) => {}
            found => return found.map(|memories| (memories, None)),
        }
        let ((mut all, lost), now) = (self.store.readable().await?, self.now());
        all.retain(|memory| filter.is_none_or(|filter| filter.lets_through(memory, now)));
        all.sort_by(|left, right| right.created_at.cmp(&left.created_at).then_with(|| left.id.cmp(&right.id)));
        Ok((all, Some(lost)))
    }

    /// Removes a memory permanently; `false` if it does not exist. For operators; no tool does
    /// this.
    pub async fn remove(&self, id: &str) -> Result<bool, MemoryError> {
        self.store.remove(id).await
    }

    /// Restores an exported memory unchanged.
    ///
    /// # Errors
    /// As [`Memories::save`].
    pub async fn import(&self, memory: Memory) -> Result<ImportOutcome, MemoryError> {
        self.check(&memory.content, &memory.tags)?;
        let named = [("id", Some(&memory.id)), ("owner", Some(&memory.owner)), ("origin", Some(&memory.origin))];
        let rest = [
            ("call", memory.call.as_ref()),
            ("session", memory.session.as_ref()),
            ("superseded_by", memory.superseded_by.as_ref()),
        ];
        let holds_nul = |(_, text): &(&str, Option<&String>)| text.is_some_and(|text| text.contains('\0'));
        if let Some((field, _)) = named.into_iter().chain(rest).find(holds_nul) {
            return Err(MemoryError::Content(format!("`{field}` has a NUL character")));
        }
        let is_new = self.store.restore(memory, self.policy().limits, self.now()).await?;
        Ok(if is_new { ImportOutcome::Stored } else { ImportOutcome::Skipped })
    }
}

fn is_damage(error: &MemoryError) -> bool {
    matches!(error, MemoryError::Damaged(_) | MemoryError::Store(StoreError::Damaged(_)))
}

fn best_first(hits: &mut Vec<Hit>, most: usize) {
    hits.sort_by(|left, right| {
        let by_score = right.score.total_cmp(&left.score);
        let by_age = right.memory.created_at.cmp(&left.memory.created_at);
        by_score.then(by_age).then_with(|| left.memory.id.cmp(&right.memory.id))
    });
    hits.truncate(most);
}
