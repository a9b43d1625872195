//! What was said in kept conversations, for `memory_search`: by the user, and by the model. What
//! tools answered is left out.

use std::collections::{BTreeSet, HashMap};

use async_trait::async_trait;
use jiff::Timestamp;
use tools_core::SessionId;
use tools_memory::{ConversationHit, Conversations, MemoryError, project_of};
use tools_providers::{Block, Role};

use super::{KeptSession, Sessions, SessionsError};

/// The latest conversations that are searched.
const SESSIONS: usize = 200;
/// Characters of a passage.
const PASSAGE_CHARS: usize = 1_000;

/// The conversations that this user keeps.
#[derive(Debug)]
pub(crate) struct ConversationStore(pub(crate) Sessions);

/// Something that was said.
struct Passage {
    id: String,
    text: String,
    at: Timestamp,
    /// What the model said may hold what it had read.
    untrusted: bool,
}

#[async_trait]
impl Conversations for ConversationStore {
    async fn search(&self, query: &str, project: &str, limit: usize) -> Result<Vec<ConversationHit>, MemoryError> {
        let sessions = self.of_project(project).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the saved conversations cannot be searched");
            vec![]
        });
        let query = query.to_owned();
        let found = tokio::task::spawn_blocking(move || {
            let passages = sessions.into_iter().flat_map(passages).collect();
            ranked(&query, passages, limit)
        });
        Ok(found.await.unwrap_or_default())
    }
}

impl ConversationStore {
    /// The latest conversations of a project.
    async fn of_project(&self, project: &str) -> Result<Vec<KeptSession>, SessionsError> {
        let listed = self.0.list().await?;
        let here = listed.into_iter().filter(|entry| project_of(&entry.workdir) == project);
        let names: Vec<SessionId> = here.take(SESSIONS).map(|entry| entry.session).collect();
        self.0.read(&names).await
    }
}

/// What was said in a conversation; nothing where it cannot be read.
fn passages(session: KeptSession) -> Vec<Passage> {
    let KeptSession { session, history, written, .. } = session;
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

/// The words of a text, in lower case.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// The passages with words of the query, the best first: rare words count more, and no word counts
/// often.
fn ranked(query: &str, passages: Vec<Passage>, limit: usize) -> Vec<ConversationHit> {
    let asked: BTreeSet<String> = words(query).collect();
    let counted: Vec<HashMap<String, f64>> = passages
        .iter()
        .map(|passage| {
            let mut counts = HashMap::new();
            for word in words(&passage.text).filter(|word| asked.contains(word)) {
                *counts.entry(word).or_insert(0.0) += 1.0;
            }
            counts
        })
        .collect();
    let count = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    let all = count(passages.len());
    let rarity = |word: &String| {
        let holding = count(counted.iter().filter(|counts| counts.contains_key(word)).count());
        ((all - holding + 0.5) / (holding + 0.5)).ln().max(1e-6)
    };
    let weights: HashMap<&String, f64> = asked.iter().map(|word| (word, rarity(word))).collect();
    let mut hits: Vec<ConversationHit> = passages
        .into_iter()
        .zip(&counted)
        .filter(|(_, counts)| !counts.is_empty())
        .map(|(passage, counts)| ConversationHit {
            id: passage.id,
            content: passage.text.chars().take(PASSAGE_CHARS).collect(),
            created_at: passage.at,
            score: counts.iter().map(|(word, count)| weights[word] * count / (count + 1.0)).sum(),
            untrusted: passage.untrusted,
        })
        .collect();
    hits.sort_by(|one, other| {
        let by_age = || other.created_at.cmp(&one.created_at);
        other.score.total_cmp(&one.score).then_with(by_age).then_with(|| one.id.cmp(&other.id))
    });
    hits.truncate(limit);
    hits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_decide_and_what_has_none_is_left_out() {
        let passage = |id: &str, text: &str| Passage {
            id: id.to_owned(),
            text: text.to_owned(),
            at: Timestamp::UNIX_EPOCH,
            untrusted: false,
        };
        let all = || {
            let said =
                [("a", "the port, the port"), ("b", "the harbour is closed"), ("c", "nothing"), ("d", "the end")];
            said.map(|(id, text)| passage(id, text)).into()
        };
        let ids =
            |query: &str, limit: usize| ranked(query, all(), limit).into_iter().map(|hit| hit.id).collect::<String>();
        assert_eq!(ids("is the HARBOUR open?", 9), "bad");
        assert_eq!(ids("port", 9), "a");
        assert_eq!(ids("the", 2).len(), 2);
        assert_eq!(ids("?!", 9), "");
    }
}
