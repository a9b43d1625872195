//! What a conversation tells while it works, in no protocol's words.

use serde_json::Value;
use tools_core::{CallId, FileDiff, Location, Media, ToolKind};

/// Something that happened in a session. Texts have lost their credentials before they come here.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of a variant says what its only fields are")]
pub enum SessionEvent {
    /// The user said something: only in a conversation that is told again.
    UserSaid { text: String },
    /// A part of the model's answer.
    Said { text: String },
    /// A part of the model's thoughts.
    Thought { text: String },
    /// The model wants a call made. Comes before anything else of the call. `input` is `None` where
    /// the model wrote none.
    Called { call: CallId, tool: String, title: String, kind: ToolKind, input: Option<Value> },
    /// The call goes through the gates: for the first time, or again after a question.
    Started { call: CallId, tool: String, title: String, kind: ToolKind, locations: Vec<Location> },
    /// The call waits for a person.
    Waits { call: CallId },
    /// The call printed something, or got on.
    Printed { call: CallId, text: String },
    /// The call has its result. Comes once, after everything else of the call.
    Answered {
        /// The call.
        call: CallId,
        /// Whether it failed.
        is_error: bool,
        /// The text that the model reads.
        text: String,
        /// Changes of a file.
        diff: Option<FileDiff>,
        /// Pictures of the result.
        media: Vec<Media>,
        /// Places it was about; empty for those that were named when it started.
        locations: Vec<Location>,
    },
    /// Something the person should hear of that is no part of the answer.
    Note { severity: Severity, text: String },
    /// Fill of the context: `used` of the `size` tokens that fit.
    Context { used: u64, size: u64 },
    /// Title of the session.
    Titled { title: String },
}

/// Severity of a [`SessionEvent::Note`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Good to know.
    Info,
    /// Odd, although it goes on.
    Warning,
}
