//! Who answers: opens conversations, and holds one of them.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use tools_core::SessionId;

use crate::{ClientView, Modes, SessionEvent, Viewer};

/// Opens conversations. Called by the server for `session/new`, `session/load`, `session/resume`,
/// `session/delete` and the lists of kept sessions. The program that has models and tools
/// implements it.
#[async_trait]
pub trait AcpHost: Send + Sync + 'static {
    /// Opens a conversation.
    ///
    /// # Errors
    /// When it cannot work in that folder, or when the session that goes on is not kept.
    async fn open(&self, opening: SessionRequest) -> Result<OpenConversation, OpenError>;

    /// The kept sessions, the latest first; only those of `workdir` where one is given.
    ///
    /// # Errors
    /// A sentence for a person, when they cannot be read.
    async fn kept(&self, workdir: Option<&Path>) -> Result<Vec<SessionSummary>, String>;

    /// Removes a session that is not open from the kept ones, with what was stored for it. Nothing
    /// happens where none of that name is kept.
    ///
    /// # Errors
    /// A sentence for a person, when it cannot be removed.
    async fn forget(&self, session: &SessionId) -> Result<(), String>;
}

/// Request to open a session.
#[derive(Debug, Clone)]
pub struct SessionRequest {
    /// The folder the session works in: absolute, and a folder that is there.
    pub workdir: PathBuf,
    /// The kept session that goes on; `None` for a new one.
    pub resume: Option<Resume>,
}

/// The saved session to continue.
#[derive(Debug, Clone)]
pub struct Resume {
    /// The session.
    pub session: SessionId,
    /// Whether what was said is told again.
    pub replay: bool,
}

/// A conversation that was opened.
pub struct OpenConversation {
    /// Its session.
    pub session: SessionId,
    /// The conversation.
    pub conversation: Box<dyn Conversation>,
    /// In which modes it can work. The conversation follows the one that is set.
    pub modes: Modes,
    /// Time limit of a question.
    pub patience: std::time::Duration,
    /// The program that shows commands in terminals of a client that has some; `None` to show them
    /// as text everywhere.
    pub viewer: Option<Viewer>,
    /// Earlier events, to be repeated to the client; empty for a new session.
    pub past: Vec<SessionEvent>,
}

/// Reason why a conversation was not opened. Each is a sentence for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenError {
    /// The request asks for what cannot be.
    Refused(String),
    /// No such session is kept.
    NotKept(String),
    /// Something of this machine failed.
    Failed(String),
}

/// A kept session, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionSummary {
    /// The session.
    pub session: SessionId,
    /// The folder it worked in.
    pub workdir: PathBuf,
    /// Its title.
    pub title: String,
    /// When it was written last, as RFC 3339 has it.
    pub written: String,
}

/// Handles the prompts of one session. Called by the server, one prompt after the other.
#[async_trait]
pub trait Conversation: Send {
    /// Answers the user. Everything that happens is told to `watch` before this returns; every call
    /// that was told of has its end by then. Returns soon after `cancel` is cancelled.
    async fn prompt(&mut self, task: &str, watch: &ClientView, cancel: &CancellationToken) -> PromptEnd;

    /// Ends what the session runs in the background. When this returns nothing of it is left.
    async fn close(&mut self);
}

/// Reason for the end of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptEnd {
    /// The model is done.
    Done,
    /// The conversation has no room left.
    ContextFull,
    /// A limit on requests, calls or cost was reached.
    Limit,
    /// Somebody called it off.
    Cancelled,
    /// The model gave no answer: a sentence for a person.
    Failed(String),
}
