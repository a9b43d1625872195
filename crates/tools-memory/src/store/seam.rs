//! What a store of memories does. What is saved and how hits are put together is not decided here.

use async_trait::async_trait;
use jiff::Timestamp;

use crate::{Memory, MemoryError, MemoryKind, NewMemory, Scope};

/// Selection of memories.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// The project whose memories are seen; `None` for none of any project.
    pub project: Option<String>,
    /// The session whose memories are seen; `None` for none of any session.
    pub session: Option<String>,
    /// Whether the user's own are seen.
    pub user: bool,
    /// Only those of this kind.
    pub kind: Option<MemoryKind>,
    /// Only those that were saved at this time or later.
    pub since: Option<Timestamp>,
}

impl Filter {
    /// The same, narrowed to one scope.
    #[must_use]
    pub fn only(self, scope: Scope) -> Self {
        Self {
            project: self.project.filter(|_| scope == Scope::Project),
            session: self.session.filter(|_| scope == Scope::Session),
            user: self.user && scope == Scope::User,
            ..self
        }
    }

    /// Whether a memory may be seen now: what both databases ask in their own words.
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

/// A memory, and how well it answers; more is better.
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

/// Stores memories. Called by [`crate::Memories`]. What was acknowledged is there, also after the
/// process was killed. Every method fails with what the store says.
#[async_trait]
pub trait MemoryStore: Send + Sync + std::fmt::Debug {
    /// Stores a memory under `id`, in one step with taking another out of the search where it says
    /// so. What has expired is removed on the way.
    ///
    /// # Errors
    /// [`MemoryError::Full`], [`MemoryError::NotFound`] where what it supersedes is not there for
    /// its owner, and what the store says.
    async fn save(
        &self,
        id: String,
        new: NewMemory,
        embedding: Option<Embedding>,
        limits: Limits,
        now: Timestamp,
    ) -> Result<StoreOutcome, MemoryError>;

    /// Puts a memory back as it was exported. `false` when the store has one of that identifier or
    /// text.
    ///
    /// # Errors
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

    /// The vectors that a model made of the memories that may be seen.
    async fn vectors(&self, model: &str, filter: &Filter, now: Timestamp) -> Result<Vec<Vector>, MemoryError>;

    /// One memory, whoever's it is.
    async fn get(&self, id: &str) -> Result<Option<Memory>, MemoryError>;

    /// The memories of a filter, the newest first, superseded and expired ones included; all of
    /// them without one.
    async fn list(&self, filter: Option<&Filter>) -> Result<Vec<Memory>, MemoryError>;

    /// What can be read of a damaged store, superseded and expired memories included, and how many
    /// cannot.
    ///
    /// # Errors
    /// What the store says where nothing can be read.
    async fn readable(&self) -> Result<(Vec<Memory>, u64), MemoryError>;

    /// Removes one for good; `false` when it is not there.
    async fn remove(&self, id: &str) -> Result<bool, MemoryError>;

    /// Takes note that memories were found.
    async fn used(&self, ids: &[String], now: Timestamp) -> Result<(), MemoryError>;
}
