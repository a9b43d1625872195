//! What a host decides about a server before it serves.

use std::{path::PathBuf, sync::Arc, time::Duration};

use rmcp::model::{Implementation, ServerCapabilities, ServerConfig};
use tokio::sync::Notify;
use tools_core::{CallContext, CallerId, Clock, SessionId, Stack, SystemClock};

use crate::{Continuations, McpServer, SessionRules, Structured, Workspace};

/// What one answer may hold: more is cut by some clients and refused by others.
const ANSWER_CAP: usize = 25_000;
/// How long a person may take to answer.
const QUESTION_TIMEOUT: Duration = Duration::from_mins(2);

/// Everything that was decided.
pub(crate) struct Settings {
    pub(crate) stack: Arc<Stack>,
    pub(crate) context: CallContext,
    pub(crate) session: Option<SessionId>,
    pub(crate) caller: Option<CallerId>,
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) workspace: Option<Arc<dyn Workspace>>,
    pub(crate) session_rules: Option<Arc<dyn SessionRules>>,
    pub(crate) continuations: Option<Continuations>,
    pub(crate) structured: Structured,
    pub(crate) answer_cap: usize,
    pub(crate) question_timeout: Duration,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) definitions_changed: Option<Arc<Notify>>,
    pub(crate) info: ServerConfig,
}

/// Builds an [`McpServer`].
pub struct Builder {
    settings: Settings,
    name: String,
    version: String,
    instructions: String,
}

impl Builder {
    pub(crate) fn new(stack: Arc<Stack>) -> Self {
        Self {
            settings: Settings {
                stack,
                context: CallContext::new("/"),
                session: None,
                caller: None,
                roots: vec![],
                workspace: None,
                session_rules: None,
                continuations: None,
                structured: Structured::default(),
                answer_cap: ANSWER_CAP,
                question_timeout: QUESTION_TIMEOUT,
                clock: Arc::new(SystemClock),
                definitions_changed: None,
                info: ServerConfig::default(),
            },
            name: "haft".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: "Failed calls answer with a `[tool_error]` block that says what to do next. Long answers are cut; their last line says how to read on.".to_owned(),
        }
    }

    /// The context that every call starts from: trust, phase, environment, and where relative paths start.
    ///
    /// Without it, calls are trusted and relative paths start at `/`.
    pub fn context(mut self, context: CallContext) -> Self {
        self.settings.context = context;
        self
    }

    /// Puts all connections into one session; without it each has its own.
    pub fn session(mut self, session: SessionId) -> Self {
        self.settings.session = Some(session);
        self
    }

    /// The principal behind all calls. What a client calls itself is no principal.
    pub fn caller(mut self, caller: CallerId) -> Self {
        self.settings.caller = Some(caller);
        self
    }

    /// The configured roots, canonical and absolute: what roots of a client narrow, and never widen.
    pub fn roots(mut self, roots: Vec<PathBuf>) -> Self {
        self.settings.roots = roots;
        self
    }

    /// Hears of narrowed roots. Without it they only set where relative paths start.
    ///
    /// # Security
    /// A host whose tools have roots of their own must set this, or a client's narrower roots bind nobody.
    pub fn workspace(mut self, workspace: Arc<dyn Workspace>) -> Self {
        self.settings.workspace = Some(workspace);
        self
    }

    /// Takes the rules of people who answer "session". Without it that answer is not offered.
    pub fn session_rules(mut self, rules: Arc<dyn SessionRules>) -> Self {
        self.settings.session_rules = Some(rules);
        self
    }

    /// Keeps what is cut from answers. Its [`Continuations::executor`] must be part of the stack.
    pub fn continuations(mut self, continuations: Continuations) -> Self {
        self.settings.continuations = Some(continuations);
        self
    }

    /// Whether results carry `structuredContent`.
    pub fn structured(mut self, structured: Structured) -> Self {
        self.settings.structured = structured;
        self
    }

    /// How many bytes of text one answer may hold; at least 1,000.
    pub fn answer_cap(mut self, bytes: usize) -> Self {
        self.settings.answer_cap = bytes.max(1_000);
        self
    }

    /// How long a person may take to answer; nobody answering in time is a refusal.
    pub fn question_timeout(mut self, patience: Duration) -> Self {
        self.settings.question_timeout = patience;
        self
    }

    /// The clock for the time of consent.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.settings.clock = clock;
        self
    }

    /// Woken by the host (`notify_waiters`) when the stack's definitions change, so that clients hear of it at once;
    /// they hear of it after their next call in any case.
    pub fn definitions_changed(mut self, changed: Arc<Notify>) -> Self {
        self.settings.definitions_changed = Some(changed);
        self
    }

    /// What the server calls itself.
    pub fn identity(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.name = name.into();
        self.version = version.into();
        self
    }

    /// What the model is told about the server as a whole; clients put it into the prompt, so keep it short.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = instructions.into();
        self
    }

    /// The server.
    pub fn build(self) -> McpServer {
        let mut settings = self.settings;
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        settings.info = ServerConfig::new(capabilities)
            .with_server_info(Implementation::new(self.name, self.version))
            .with_instructions(self.instructions);
        McpServer::new(Arc::new(settings))
    }
}
