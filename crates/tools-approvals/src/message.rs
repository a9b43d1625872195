//! What goes over a socket: a question, a choice, and word that the choice counted. One JSON object a line.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tools_core::{Answer, ConfirmPrompt, Question};

/// The form of the messages. Another number is another program's, and is left alone.
pub(crate) const VERSION: u32 = 1;

/// Who has a question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asker {
    /// The client or host whose call it is, as it calls itself.
    pub client: String,
    /// The folder the call works in.
    pub workdir: PathBuf,
    /// The process that waits.
    pub process: u32,
    /// Whether the session goes on after the call, so that an answer may count for the rest of it.
    pub lasting: bool,
}

/// A question on its way to a watcher.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Asking {
    pub(crate) version: u32,
    pub(crate) asker: Asker,
    pub(crate) prompt: ConfirmPrompt,
    /// How long an answer is waited for, from now on.
    pub(crate) left_ms: u64,
}

/// What a person chose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Choice {
    /// Yes, to this call.
    Once,
    /// Yes, and to others like it until the session ends.
    Session,
    /// Yes, and to others like it from now on.
    Always,
    /// No.
    No {
        /// The person's own words for the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
}

/// The asker's word that a choice was the first, and counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Taken {
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
