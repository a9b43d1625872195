//! Events of a conversation, independent of the protocol.

use serde_json::Value;
use tools_core::{CallId, FileDiff, Location, Media, ToolKind};

/// An event of a session. Credentials in its texts were redacted before.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of a variant says what its only fields are")]
pub enum SessionEvent {
    /// The user's message; only when a conversation is replayed.
    UserSaid { text: String },
    /// A part of the model's answer.
    Said { text: String },
    /// A part of the model's thoughts.
    Thought { text: String },
    /// The model requests a call. Comes before any other event of the call. `input` is `None` if
    /// the model wrote none.
    Called { call: CallId, tool: String, title: String, kind: ToolKind, input: Option<Value> },
    /// The call goes through the gates, for the first time or again after a question.
    Started { call: CallId, tool: String, title: String, kind: ToolKind, locations: Vec<Location> },
    /// The call waits for a person.
    Waits { call: CallId },
    /// The call printed output or made progress.
    Printed { call: CallId, text: String },
    /// The call has its result. Comes once, after all other events of the call.
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
        /// Places it was about; empty if they are those named at its start.
        locations: Vec<Location>,
    },
    /// A note for the person that is not part of the answer.
    Note { severity: Severity, text: String },
    /// Fill of the context: `used` of `size` tokens.
    Context { used: u64, size: u64 },
    /// Title of the session.
    Titled { title: String },
}

/// Severity of a [`SessionEvent::Note`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Information.
    Info,
    /// A problem that does not stop the turn.
    Warning,
}
