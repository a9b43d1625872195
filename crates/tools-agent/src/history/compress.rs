//! Selects the part of a conversation to summarise, and what is kept of it verbatim. Pure.

use std::{fmt::Write as _, sync::Arc};

use serde::{Deserialize, Serialize};
use thiserror::Error;
use tools_providers::{Block, Message, Role};

use super::{kept_lines, size};

/// Minimum number of messages to summarise, besides those that are kept.
const MIN_MESSAGES: usize = 4;
/// Maximum length of a summary, in percent of the original.
const GAIN: u64 = 60;
/// Maximum number of characters of one result that the summariser reads.
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
    /// Its ID.
    pub id: String,
    /// Origin of the request.
    pub compaction_method: CompressionStrategy,
    /// Number of messages that it replaces.
    pub messages: usize,
    /// The text that the model reads in their place.
    pub text: String,
}

/// Part of a conversation to summarise: everything after the earlier summaries, up to `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageSelection {
    /// Number of blocks of the first message that are earlier summaries.
    pub knowledge: usize,
    /// The first message that stays.
    pub end: usize,
}

/// A summary and the messages that it replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compression {
    /// The messages that it replaces.
    pub selection: MessageSelection,
    /// The summary.
    pub summary: Summary,
}

/// The summary is empty, or hardly shorter than the original.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("no gain: the summary has {summary} bytes and stands for {original}")]
pub struct NoGain {
    /// Bytes of the summary.
    pub summary: u64,
    /// Bytes of the original.
    pub original: u64,
}

/// Selects the messages for a summary, keeping the last `keep`; `None` if there are too few. A call
/// and its result are never separated.
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

    /// Builds the summary from a model's text and the parts kept verbatim.
    ///
    /// # Errors
    /// If it is not shorter enough.
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

/// Parts of a conversation that are kept verbatim: skills, and references to stored output and
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

/// Formats a part of a conversation for the summariser.
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
