//! The messages of a conversation, in a form that every provider accepts between any two steps of
//! the loop.

use std::{collections::HashSet, sync::Arc};

use thiserror::Error;
use tools_providers::{Block, Message, Role, Usage};

use super::{Budget, Compression, MessageSelection, Summary, clear, size};

/// A conversation. Between two of its methods it is valid: it begins with the user, the roles
/// alternate, and each call is answered once, in the next message, before anything else.
#[derive(Debug, Clone, Default)]
pub struct History {
    messages: Vec<Arc<Message>>,
    /// Number of blocks at the beginning of the first message that are summaries.
    knowledge: usize,
    /// The summaries, oldest first.
    summaries: Vec<Summary>,
    budget: Budget,
    /// Messages before this index have no results left to remove.
    cleared: usize,
}

/// Fault of a list of messages.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("message {at}: {problem}")]
pub struct InvalidHistory {
    /// Index of the message, from 0.
    pub at: usize,
    /// The fault.
    pub problem: &'static str,
}

impl History {
    /// Restores a conversation from these messages.
    ///
    /// # Errors
    /// If they are not a valid conversation.
    pub fn restored(
        messages: Vec<Arc<Message>>,
        knowledge: usize,
        summaries: Vec<Summary>,
    ) -> Result<Self, InvalidHistory> {
        check(&messages)?;
        let most = messages.first().map_or(0, |first| first.blocks.len());
        let mut history = Self { knowledge: knowledge.min(most), summaries, ..Self::default() };
        for message in &messages {
            history.budget.grew(size::bytes(message));
        }
        history.messages = messages;
        Ok(history)
    }

    /// The messages, oldest first.
    pub fn messages(&self) -> &[Arc<Message>] {
        &self.messages
    }

    /// The number of blocks at the beginning of the first message that are summaries.
    pub(crate) fn knowledge(&self) -> usize {
        self.knowledge
    }

    /// The summaries, oldest first.
    pub fn summaries(&self) -> &[Summary] {
        &self.summaries
    }

    /// Fill of the context.
    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Adds the user's message: to their last one if the model has not answered that yet.
    pub(crate) fn push_user(&mut self, blocks: Vec<Block>) {
        let message = Message { role: Role::User, blocks };
        self.budget.grew(size::bytes(&message));
        match self.messages.last_mut().filter(|last| last.role == Role::User) {
            Some(last) => Arc::make_mut(last).blocks.extend(message.blocks),
            None => self.messages.push(Arc::new(message)),
        }
    }

    /// Adds an answer without calls. An empty one is dropped.
    pub(crate) fn answer(&mut self, message: Message, usage: &Usage) {
        self.budget.counted(usage);
        if !message.blocks.is_empty() {
            // Without a count of the provider the estimate needs the bytes of the answer too.
            if usage.read() == 0 {
                self.budget.grew(size::bytes(&message));
            }
            self.messages.push(Arc::new(message));
        }
    }

    /// Adds an answer with calls together with their results.
    pub(crate) fn exchange(&mut self, message: Message, results: Message, usage: &Usage) {
        self.answer(message, usage);
        self.budget.grew(size::bytes(&results));
        self.messages.push(Arc::new(results));
    }

    /// Removes old results, oldest first, and leaves a line and the references to stored output.
    /// Returns their number and the bytes removed.
    pub(crate) fn clear_results(&mut self) -> (usize, u64) {
        let end = clear::boundary(&self.messages);
        let (mut results, mut bytes) = (0, 0);
        for message in self.messages.iter_mut().take(end).skip(self.cleared) {
            if let Some((cleared, count, saved)) = clear::cleared(message) {
                *message = Arc::new(cleared);
                results += count;
                bytes += saved;
            }
        }
        self.cleared = self.cleared.max(end);
        self.budget.shrank(bytes);
        (results, bytes)
    }

    /// Selects the messages for a compression, keeping at least the last `keep`; `None` if there
    /// are too few.
    pub fn select(&self, keep: usize) -> Option<MessageSelection> {
        super::select(&self.messages, self.knowledge, keep)
    }

    /// Replaces messages by their summary. Earlier summaries stay as they are.
    ///
    /// Nothing changes if the conversation is no longer the one that was summarised.
    pub(crate) fn swap(&mut self, compression: Compression) -> bool {
        let Compression { selection, summary } = compression;
        let is_same = self.messages.len() >= selection.end
            && self.knowledge == selection.knowledge
            && self.messages.get(selection.end).is_none_or(|next| next.tool_results().next().is_none());
        if !is_same {
            return false;
        }
        let removed: u64 = self.messages[..selection.end].iter().map(|message| size::bytes(message)).sum();
        let mut first: Vec<Block> =
            self.messages.first().map(|first| first.blocks[..self.knowledge].to_vec()).unwrap_or_default();
        first.push(Block::Text(summary.text.clone()));
        self.knowledge += 1;
        let mut rest = self.messages.split_off(selection.end).into_iter().peekable();
        if let Some(next) = rest.next_if(|next| next.role == Role::User) {
            first.extend(next.blocks.iter().cloned());
        }
        let first = Message { role: Role::User, blocks: first };
        self.budget.shrank(removed.saturating_sub(summary.text.len() as u64));
        self.messages = std::iter::once(Arc::new(first)).chain(rest).collect();
        self.summaries.push(summary);
        self.cleared = 0;
        true
    }
}

/// Checks that every provider accepts a list of messages.
///
/// # Errors
/// The first invalid message.
pub(crate) fn check(messages: &[Arc<Message>]) -> Result<(), InvalidHistory> {
    let mut open: Vec<&str> = vec![];
    for (at, message) in messages.iter().enumerate() {
        let wrong = |problem| Err(InvalidHistory { at, problem });
        let expected = if at % 2 == 0 { Role::User } else { Role::Assistant };
        if message.role != expected {
            return wrong("the sides do not alternate");
        }
        if message.blocks.is_empty() {
            return wrong("it is empty");
        }
        let results: Vec<&str> = message.tool_results().map(|result| result.id.as_str()).collect();
        if results != open {
            return wrong("its results are not those of the calls before it, in their order");
        }
        let first = message.blocks.iter().take(results.len());
        if first.clone().any(|block| !matches!(block, Block::ToolResult(_))) {
            return wrong("a result stands behind something else");
        }
        open = message.calls().map(|call| call.id.as_str()).collect();
        if open.iter().collect::<HashSet<_>>().len() != open.len() {
            return wrong("two calls have one id");
        }
        if message.role == Role::User && !open.is_empty() {
            return wrong("the user calls a tool");
        }
    }
    if open.is_empty() { Ok(()) } else { Err(InvalidHistory { at: messages.len(), problem: "calls without results" }) }
}

impl History {
    /// Checks that every provider accepts the conversation.
    ///
    /// # Errors
    /// The first invalid message.
    pub fn check(&self) -> Result<(), InvalidHistory> {
        check(&self.messages)
    }
}
