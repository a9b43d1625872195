//! Interface of a store of memories. What is saved and how hits are ranked is decided elsewhere.

use async_trait::async_trait;
use jiff::Timestamp;

use crate::{Memory, MemoryError, MemoryKind, NewMemory, Scope};

/// Selection of memories.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// The project whose memories are visible; `None` for none of any project.
    pub project: Option<String>,
    /// The session whose memories are visible; `None` for none of any session.
    pub session: Option<String>,
    /// Whether the user's own memories are visible.
    pub user: bool,
    /// Only memories of this kind.
    pub kind: Option<MemoryKind>,
    /// Only memories saved at this time or later.
    pub since: Option<Timestamp>,
}

impl Filter {
    /// The filter narrowed to one scope.
    #[must_use]
    pub fn only(self, scope: Scope) -> Self {
        Self {
            project: self.project.filter(|_| scope == Scope::Project),
            session: self.session.filter(|_| scope == Scope::Session),
            user: self.user && scope == Scope::User,
            ..self
        }
    }

    /// Whether a memory is visible now; both databases have an equivalent condition.
    pub(crate) fn lets_through(&self, memory: &Memory, now: Timestamp) -> bool {
        let owner = Some(memory.owner.as_str());
        let is_seen = match memory.scope {
            Scope::User => self.user,
            Scope::Project => self.project.as_deref() == owner,
            Scope::Session => self.session.as_deref() == owner,
        };
        is_seen
            && memory.superseded_by.is_none()
            && memory.expires_at.is_none_or(|at| at > now)
            && self.kind.is_none_or(|kind| kind == memory.kind)
            && self.since.is_none_or(|since| memory.created_at >= since)
    }
}

/// Limits of a store, for all owners together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Memories.
    pub entries: u64,
    /// Bytes of text.
    pub bytes: u64,
}

/// Result of storing a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreOutcome {
    /// It is stored, under this identifier.
    New(String),
    /// The same text is there already, under this identifier.
    Duplicate(String),
}

/// A vector, and the model that made it.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding {
    /// The model.
    pub by: String,
    /// The vector.
    pub vector: Vec<f32>,
}

/// A memory and its score; higher is better.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedMemory {
    /// The memory.
    pub memory: Memory,
    /// The score.
    pub score: f64,
}

/// The vector of a stored memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    /// The memory's identifier.
    pub id: String,
    /// The vector.
    pub vector: Vec<f32>,
}

/// Stores memories. Called by [`crate::Memories`]. Acknowledged changes survive a kill of the
/// process. Every method can fail with an error of the store.
#[async_trait]
pub trait MemoryStore: Send + Sync + std::fmt::Debug {
    /// Stores a memory under `id`, and in the same step removes the one it replaces from the
    /// search. Also deletes expired memories.
    ///
    /// # Errors
    /// [`MemoryError::Full`], [`MemoryError::NotFound`] if its owner does not have the memory that
    /// it replaces, and errors of the store.
    /// its owner, and what the store says.
    async fn save(
        &self,
        id: String,
        new: NewMemory,
        embedding: Option<Embedding>,
        limits: Limits,
        now: Timestamp,
    ) -> Result<StoreOutcome, MemoryError>;

    /// Restores an exported memory unchanged. `false` if the store has its identifier or text.
    ///
    /// # Errors
    /// [`MemoryError::Full`], and errors of the store.
    /// [`MemoryError::Full`], and what the store says.
    async fn restore(&self, memory: Memory, limits: Limits, now: Timestamp) -> Result<bool, MemoryError>;

    /// The memories that share words with a text, the best first.
    async fn by_words(
        &self,
        text: &str,
        filter: &Filter,
        most: usize,
        now: Timestamp,
    ) -> Result<Vec<RankedMemory>, MemoryError>;

    /// The vectors by `model` of the visible memories.
    async fn vectors(&self, model: &str, filter: &Filter, now: Timestamp) -> Result<Vec<Vector>, MemoryError>;

    /// One memory of any owner.
    async fn get(&self, id: &str) -> Result<Option<Memory>, MemoryError>;

    /// The memories that match a filter, the newest first, including replaced and expired ones;
    /// without a filter all of them.
    async fn list(&self, filter: Option<&Filter>) -> Result<Vec<Memory>, MemoryError>;

    /// The readable memories of a damaged store, including replaced and expired ones, and the
    /// number of unreadable ones.
    ///
    /// # Errors
    /// An error of the store if nothing is readable.
    async fn readable(&self) -> Result<(Vec<Memory>, u64), MemoryError>;

    /// Removes a memory permanently; `false` if it does not exist.
    async fn remove(&self, id: &str) -> Result<bool, MemoryError>;

    /// Notes that memories were found.
    async fn used(&self, ids: &[String], now: Timestamp) -> Result<(), MemoryError>;
}
