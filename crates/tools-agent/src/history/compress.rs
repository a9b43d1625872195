//! Which part of a conversation becomes a summary, and what is kept of it word for word. Pure.

use std::{fmt::Write as _, sync::Arc};

use serde::{Deserialize, Serialize};
use thiserror::Error;
use tools_providers::{Block, Message, Role};

use super::{kept_lines, size};

/// Beyond those that are kept, a compression needs so many messages.
const MIN_MESSAGES: usize = 4;
/// How long a summary may be at most, in percent of what it stands for.
const GAIN: u64 = 60;
/// How much of one result the summariser reads, in characters.
const RESULT: usize = 2_000;

/// Origin of a request for a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompressionStrategy {
    /// The loop, because the context was nearly full.
    Triggered,
    /// A person.
    Manual,
    /// The model, by calling `compress_context`.
    Autonomous,
}

/// A summary in a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Names it.
    pub id: String,
    /// Origin of the request.
    pub compaction_method: CompressionStrategy,
    /// Number of messages that it replaces.
    pub messages: usize,
    /// The text that the model reads in their place.
    pub text: String,
}

/// Part of a conversation that becomes a summary: everything behind the earlier summaries, up to
/// `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageSelection {
    /// Number of blocks of the first message that are earlier summaries.
    pub knowledge: usize,
    /// The first message that stays.
    pub end: usize,
}

/// A summary and what it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compression {
    /// The messages that it replaces.
    pub selection: MessageSelection,
    /// The summary.
    pub summary: Summary,
}

/// A summary is empty, or hardly shorter than what it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("no gain: the summary has {summary} bytes and stands for {original}")]
pub struct NoGain {
    /// Bytes of the summary.
    pub summary: u64,
    /// Bytes of what it stands for.
    pub original: u64,
}

/// Selects the messages for a summary, keeping the last `keep`; `None` when that is too little. A
/// call and its result are never parted.
pub fn select(messages: &[Arc<Message>], knowledge: usize, keep: usize) -> Option<MessageSelection> {
    let most = messages.len().checked_sub(keep).filter(|most| *most >= MIN_MESSAGES)?;
    let is_boundary = |end: &usize| messages.get(*end).is_none_or(|next| next.tool_results().next().is_none());
    let end = (MIN_MESSAGES..=most).rev().find(is_boundary)?;
    Some(MessageSelection { knowledge, end })
}

impl MessageSelection {
    /// Its size in bytes.
    pub fn bytes(&self, messages: &[Arc<Message>]) -> u64 {
        let known: u64 = messages.first().map_or(0, |first| {
            size::bytes(&Message { role: Role::User, blocks: first.blocks[..self.knowledge].to_vec() })
        });
        let all: u64 = messages.iter().take(self.end).map(|message| size::bytes(message)).sum();
        all.saturating_sub(known)
    }

    /// The summary of it that a model wrote, with what is kept word for word.
    ///
    /// # Errors
    /// When it is no gain.
    pub(crate) fn summarised(
        self,
        messages: &[Arc<Message>],
        written: &str,
        id: String,
        strategy: CompressionStrategy,
    ) -> Result<Compression, NoGain> {
        let (original, written) = (self.bytes(messages), written.trim());
        let length = written.len() as u64;
        if written.is_empty() || u128::from(length) * 100 > u128::from(original) * u128::from(GAIN) {
            return Err(NoGain { summary: length, original });
        }
        let mut text = format!("[summary of {} earlier messages]\n{written}", self.end);
        for kept in kept(&messages[..self.end], self.knowledge) {
            text.push('\n');
            text.push_str(&kept);
        }
        let summary = Summary { id, compaction_method: strategy, messages: self.end, text };
        Ok(Compression { selection: self, summary })
    }
}

/// What of a conversation is kept word for word: skills, and the ways back to stored output and to
/// jobs.
fn kept(messages: &[Arc<Message>], knowledge: usize) -> Vec<String> {
    let mut kept: Vec<String> = vec![];
    let mut keep = |text: &str| {
        if !kept.iter().any(|one| one == text) {
            kept.push(text.to_owned());
        }
    };
    for (at, message) in messages.iter().enumerate() {
        let skipped = if at == 0 { knowledge } else { 0 };
        for block in message.blocks.iter().skip(skipped) {
            let Block::ToolResult(result) = block else { continue };
            if let Some(skill) = skill(&result.text) {
                keep(skill);
            }
            kept_lines(&result.text).for_each(&mut keep);
        }
    }
    kept
}

/// The text of a skill that was loaded.
fn skill(text: &str) -> Option<&str> {
    const END: &str = "</skill_content>";
    let begin = text.find("<skill_content")?;
    let end = text[begin..].find(END)?;
    Some(&text[begin..begin + end + END.len()])
}

/// A part of a conversation as a text that a model summarises.
pub(crate) fn render(messages: &[Arc<Message>], knowledge: usize) -> String {
    let mut text = String::new();
    for (at, message) in messages.iter().enumerate() {
        let skipped = if at == 0 { knowledge } else { 0 };
        for block in message.blocks.iter().skip(skipped) {
            // Writing to a `String` cannot fail.
            let _ = match block {
                Block::Text(said) => match message.role {
                    Role::User => writeln!(text, "USER: {said}"),
                    Role::Assistant => writeln!(text, "ASSISTANT: {said}"),
                },
                Block::ToolUse(call) => {
                    let input = call.input.as_ref().map_or_else(
                        |bad| bad.text.clone(),
                        |params| serde_json::Value::Object(params.clone()).to_string(),
                    );
                    writeln!(text, "CALL {}: {}", call.name, beginning(&input))
                }
                Block::ToolResult(result) => writeln!(text, "RESULT of {}: {}", result.name, beginning(&result.text)),
                Block::Thinking(_) | Block::Image(_) => Ok(()),
            };
        }
    }
    text
}

fn beginning(text: &str) -> String {
    let mut shown: String = text.chars().take(RESULT).collect();
    if shown.len() < text.len() {
        shown.push_str(" [...]");
    }
    shown
}
