//! Common state of both tools: the memories, the tainted sessions, and the conversations of the
//! host.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use tools_core::CallContext;

use crate::{Filter, Memories, MemoryError, TaintedSessions, project_of};

/// A passage of a conversation that matches a query.
#[derive(Debug, Clone, PartialEq)]
pub struct ConversationHit {
    /// Its ID at the host.
    pub id: String,
    /// The content.
    pub content: String,
    /// Time when it was said.
    pub created_at: Timestamp,
    /// Its score; higher is better.
    pub score: f64,
    /// Whether it may contain text from outside.
    pub untrusted: bool,
}

/// Searches earlier conversations. Called by `memory_search` if a host saves conversations.
#[async_trait]
pub trait Conversations: Send + Sync {
    /// The passages that match a query, the best first, of this project only.
    ///
    /// # Errors
    /// An error of the host's store.
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
    /// The tools over these memories; `taint` knows which sessions have read text from outside.
    pub fn new(memories: Memories, taint: TaintedSessions) -> Self {
        Self { memories, taint, conversations: None }
    }

    /// Also searches earlier conversations.
    #[must_use]
    pub fn with_conversations(self, conversations: Arc<dyn Conversations>) -> Self {
        Self { conversations: Some(conversations), ..self }
    }
}

/// Memories visible to a call: the user's own, and those of its project and session.
pub(super) fn visible(cx: &CallContext) -> Filter {
    Filter {
        project: Some(project_of(cx.workdir())),
        session: Some(cx.session().as_str().to_owned()),
        user: true,
        ..Filter::default()
    }
}
