//! What both tools work with: the memories, what sessions have read, and the conversations of the
//! host.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use tools_core::CallContext;

use crate::{Filter, Memories, MemoryError, TaintedSessions, project_of};

/// A passage of a conversation that answers a query.
#[derive(Debug, Clone, PartialEq)]
pub struct ConversationHit {
    /// Its place: what the host names it by.
    pub id: String,
    /// The content.
    pub content: String,
    /// When.
    pub created_at: Timestamp,
    /// Its score; more is better.
    pub score: f64,
    /// Whether text from outside may be in it.
    pub untrusted: bool,
}

/// Searches what was said before. Called by `memory_search` where a host keeps its conversations.
#[async_trait]
pub trait Conversations: Send + Sync {
    /// The passages that answer a query, the best first, of this project alone.
    ///
    /// # Errors
    /// What the host's store says.
    async fn search(&self, query: &str, project: &str, limit: usize) -> Result<Vec<ConversationHit>, MemoryError>;
}

/// The tools `memory_search` and `memory_save`.
#[derive(Clone)]
pub struct MemoryTools {
    pub(super) memories: Memories,
    pub(super) taint: TaintedSessions,
    pub(super) conversations: Option<Arc<dyn Conversations>>,
}

tools_core::partial_debug!(MemoryTools { memories });

impl MemoryTools {
    /// The tools over these memories, for sessions of which `taint` knows what they have read.
    pub fn new(memories: Memories, taint: TaintedSessions) -> Self {
        Self { memories, taint, conversations: None }
    }

    /// The same, which also search what was said before.
    #[must_use]
    pub fn with_conversations(self, conversations: Arc<dyn Conversations>) -> Self {
        Self { conversations: Some(conversations), ..self }
    }
}

/// What a call may see: the user's own, and what belongs to its project and its session.
pub(super) fn visible(cx: &CallContext) -> Filter {
    Filter {
        project: Some(project_of(cx.workdir())),
        session: Some(cx.session().as_str().to_owned()),
        user: true,
        ..Filter::default()
    }
}
