//! The question put to a person before a call, and who puts it.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::{Subject, ToolName};

/// What a gate thinks of a call or of one of its subjects. Opinions combine with `max`: one more can only tighten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Runs without a question.
    Allow,
    /// A person is asked first.
    Ask,
    /// Does not run, whoever agrees.
    Deny,
}

/// Everything a person needs to decide: what, why it asks, what it touches, what "always" would store.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConfirmPrompt {
    /// The tool that wants to run.
    pub tool: ToolName,
    /// Why it asks, in one sentence.
    pub reason: String,
    /// The parts of the call with the verdict of each.
    pub parts: Vec<PromptPart>,
    /// The rule that "this session" or "always" would add; `None` when nothing sensible can be stored.
    pub would_store: Option<StoredRule>,
}

impl ConfirmPrompt {
    /// The same question with every text changed; a rule that the change would alter is not offered.
    #[must_use]
    pub fn map_text(self, change: impl Fn(&str) -> String) -> Self {
        let part = |part: PromptPart| PromptPart {
            subject: part.subject.map_text(&change),
            rule: change(&part.rule),
            verdict: part.verdict,
        };
        Self {
            reason: change(&self.reason),
            parts: self.parts.into_iter().map(part).collect(),
            would_store: self.would_store.filter(|rule| change(&rule.pattern) == rule.pattern),
            tool: self.tool,
        }
    }
}

/// One part of a call, judged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PromptPart {
    /// What it touches.
    pub subject: Subject,
    /// What was decided about it.
    pub verdict: Verdict,
    /// The rule or default that decided, as a person would find it in the configuration.
    pub rule: String,
}

/// A permission rule that an answer would add, shown before it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoredRule {
    /// The tool whose rule list it joins.
    pub tool: ToolName,
    /// The glob it matches.
    pub pattern: String,
}

/// What a person said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Yes, to this call.
    Once,
    /// Yes, and add [`ConfirmPrompt::would_store`] for the rest of the session.
    Session,
    /// Yes, and store [`ConfirmPrompt::would_store`].
    Always,
    /// No; `Some` tells the model why.
    No(Option<String>),
    /// There is nobody to ask, or they did not answer in time.
    Nobody,
}

/// Puts a question to a person. Called by a host between a `ConfirmationRequired` and the confirmed dispatch.
#[async_trait]
pub trait Confirmer: Send + Sync {
    /// Asks, and returns within the asker's own deadline; never hangs.
    async fn confirm(&self, prompt: &ConfirmPrompt) -> Answer;
}

/// Answers [`Answer::Nobody`] at once: for hosts without a person.
#[derive(Debug, Clone, Copy, Default)]
pub struct NobodyToAsk;

#[async_trait]
impl Confirmer for NobodyToAsk {
    async fn confirm(&self, _: &ConfirmPrompt) -> Answer {
        Answer::Nobody
    }
}
