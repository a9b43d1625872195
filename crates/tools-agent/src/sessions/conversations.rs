//! Texts of the user and the model in saved conversations, for `memory_search`. Results of tools
//! are left out.

use async_trait::async_trait;
use tools_core::SessionId;
use tools_memory::{ConversationHit, Conversations, MemoryError, Passage, project_of};
use tools_providers::{Block, Role};

use super::{SavedSession, Sessions, SessionsError};

/// Maximum number of latest conversations that are searched.
const SESSIONS: usize = 200;

/// The saved conversations of this user.
#[derive(Debug)]
pub struct SavedConversations(Sessions);

#[async_trait]
impl Conversations for SavedConversations {
    async fn search(&self, query: &str, project: &str, limit: usize) -> Result<Vec<ConversationHit>, MemoryError> {
        let sessions = self.of_project(project).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the saved conversations cannot be searched");
            vec![]
        });
        let query = query.to_owned();
        let found = tokio::task::spawn_blocking(move || {
            let passages = sessions.into_iter().flat_map(passages).collect();
            Passage::ranked(&query, passages, limit)
        });
        Ok(found.await.unwrap_or_default())
    }
}

impl SavedConversations {
    /// The texts of these conversations.
    pub fn new(sessions: Sessions) -> Self {
        Self(sessions)
    }

    /// The latest conversations of a project.
    async fn of_project(&self, project: &str) -> Result<Vec<SavedSession>, SessionsError> {
        let listed = self.0.list().await?;
        let here = listed.into_iter().filter(|entry| project_of(&entry.workdir) == project);
        let names: Vec<SessionId> = here.take(SESSIONS).map(|entry| entry.session).collect();
        self.0.read(&names).await
    }
}

/// The texts of a conversation; empty if it cannot be read.
fn passages(session: SavedSession) -> Vec<Passage> {
    let SavedSession { session, history, written, .. } = session;
    let Ok(history) = history.restore() else { return vec![] };
    let messages = history.messages().iter().enumerate();
    let said = messages.flat_map(|(number, message)| {
        let texts = message.blocks.iter().filter_map(|block| match block {
            Block::Text(text) if !text.trim().is_empty() => Some(text.as_str()),
            _ => None,
        });
        let (untrusted, id) = (message.role != Role::User, format!("{session}#{number}"));
        let passage = move |text: &str| Passage { id: id.clone(), text: text.to_owned(), at: written, untrusted };
        texts.map(passage).collect::<Vec<_>>()
    });
    said.collect()
}
