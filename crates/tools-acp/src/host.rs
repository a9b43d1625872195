//! Interfaces of the host: it opens conversations, and each answers prompts.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use tools_core::SessionId;

use crate::{ClientView, Modes, SessionEvent, Viewer};

/// Opens conversations. Called by the server for `session/new`, `session/load`, `session/resume`,
/// `session/delete` and lists of saved sessions. Implemented by the program that has models and
/// tools.
#[async_trait]
pub trait AcpHost: Send + Sync + 'static {
    /// Opens a conversation.
    ///
    /// # Errors
    /// If it cannot work in that folder, or the session to resume is not saved.
    async fn open(&self, opening: SessionRequest) -> Result<OpenConversation, OpenError>;

    /// The saved sessions, the latest first; only those of `workdir` if given.
    ///
    /// # Errors
    /// A sentence for a person, if they cannot be read.
    async fn kept(&self, workdir: Option<&Path>) -> Result<Vec<SessionSummary>, String>;

    /// Deletes a saved session that is not open, with its stored data. Does nothing if there is
    /// none with this name.
    ///
    /// # Errors
    /// A sentence for a person, if it cannot be removed.
    async fn forget(&self, session: &SessionId) -> Result<(), String>;
}

/// Request to open a session.
#[derive(Debug, Clone)]
pub struct SessionRequest {
    /// The folder of the session: absolute and existing.
    pub workdir: PathBuf,
    /// The saved session to resume; `None` for a new one.
    pub resume: Option<Resume>,
}

/// The saved session to continue.
#[derive(Debug, Clone)]
pub struct Resume {
    /// The session.
    pub session: SessionId,
    /// Whether the conversation is replayed.
    pub replay: bool,
}

/// A conversation that was opened.
pub struct OpenConversation {
    /// Its session.
    pub session: SessionId,
    /// The conversation.
    pub conversation: Box<dyn Conversation>,
    /// Its modes. The conversation follows the current one.
    pub modes: Modes,
    /// Time limit of a question.
    pub patience: std::time::Duration,
    /// The program that shows commands in terminals of a client that supports them; `None` to show
    /// them as text.
    pub viewer: Option<Viewer>,
    /// Earlier events to replay to the client; empty for a new session.
    pub past: Vec<SessionEvent>,
}

/// Reason why a conversation was not opened. Each is a sentence for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenError {
    /// The request is invalid.
    Refused(String),
    /// No such session is saved.
    NotKept(String),
    /// A failure of this machine.
    Failed(String),
}

/// A saved session in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionSummary {
    /// The session.
    pub session: SessionId,
    /// The folder it worked in.
    pub workdir: PathBuf,
    /// Its title.
    pub title: String,
    /// Time when it was last written, in RFC 3339.
    pub written: String,
}

/// Handles the prompts of one session. Called by the server, one prompt after the other.
#[async_trait]
pub trait Conversation: Send {
    /// Answers the user. All events are sent to `watch` before this returns, including the end of
    /// every call. Returns soon after `cancel` is cancelled.
    async fn prompt(&mut self, task: &str, watch: &ClientView, cancel: &CancellationToken) -> PromptEnd;

    /// Ends the background jobs of the session. On return nothing of it is left.
    async fn close(&mut self);
}

/// Reason for the end of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptEnd {
    /// The model finished.
    Done,
    /// The context is full.
    ContextFull,
    /// A limit on requests, calls or cost was reached.
    Limit,
    /// The prompt was cancelled.
    Cancelled,
    /// The model gave no answer: a sentence for a person.
    Failed(String),
}
