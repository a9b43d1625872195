//! What goes over a socket: a question, a choice, and word that the choice counted. One JSON object
//! a line.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tools_core::{Answer, ConfirmPrompt, Question};

/// The form of the messages. Another number is another program's, and is left alone.
pub(crate) const VERSION: u32 = 1;

/// The process that asks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asker {
    /// Name of the client or host that makes the call, as it reports it.
    pub client: String,
    /// Working directory of the call.
    pub workdir: PathBuf,
    /// ID of the process that waits for the answer.
    pub process: u32,
    /// Whether the session continues after the call, so that an answer can count for the rest of
    /// it.
    pub lasting: bool,
}

/// A question on its way to a watcher.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct QuestionMessage {
    pub(crate) version: u32,
    pub(crate) asker: Asker,
    pub(crate) prompt: ConfirmPrompt,
    /// How long an answer is waited for, from now on.
    pub(crate) left_ms: u64,
}

/// The answer of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Choice {
    /// Allows this call.
    Once,
    /// Allows this call and similar ones until the session ends.
    Session,
    /// Allows this call and similar ones from now on.
    Always,
    /// Refuses the call.
    No {
        /// The person's own words for the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
}

/// The asker's word that a choice was the first, and counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TakenAnswer {
    pub(crate) taken: bool,
}

impl Choice {
    /// What the choice means for this question. A rule that was not offered is no consent.
    pub(crate) fn answer(self, question: &Question, asker: &Asker) -> Answer {
        match self {
            Self::Once => Answer::Once,
            Self::Session if question.stores() && asker.lasting => Answer::Session,
            Self::Always if question.stores() => Answer::Always,
            Self::Session | Self::Always => Answer::No(None),
            Self::No { why } => Answer::No(why),
        }
    }
}
