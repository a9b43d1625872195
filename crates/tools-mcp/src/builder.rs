//! What a host decides about a server before it serves.

use std::{collections::BTreeSet, path::PathBuf, sync::Arc, time::Duration};

use tokio::sync::Notify;
use tools_core::{CallContext, CallerId, Clock, Decisions, SessionId, Stack, SystemClock, ToolName};

use crate::{Elsewhere, Greeting, McpServer, Showing, Structured, Workspace};

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
    pub(crate) showing: Option<Arc<dyn Showing>>,
    pub(crate) always_load: BTreeSet<ToolName>,
    pub(crate) decisions: Option<Arc<dyn Decisions>>,
    pub(crate) elsewhere: Option<Arc<dyn Elsewhere>>,
    pub(crate) structured: Structured,
    pub(crate) answer_cap: Option<usize>,
    pub(crate) question_timeout: Duration,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) definitions_changed: Option<Arc<Notify>>,
    pub(crate) greeting: Greeting,
}

/// Builds an [`McpServer`].
pub struct Builder {
    settings: Settings,
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
                showing: None,
                always_load: BTreeSet::new(),
                decisions: None,
                elsewhere: None,
                structured: Structured::default(),
                answer_cap: None,
                question_timeout: QUESTION_TIMEOUT,
                clock: Arc::new(SystemClock),
                definitions_changed: None,
                greeting: Greeting::default(),
            },
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

    /// The configured roots, absolute: what roots of a client narrow, and never widen.
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

    /// Decides which tools a session is shown, and in which words. Without it all that the stack lists are shown.
    pub fn showing(mut self, showing: Arc<dyn Showing>) -> Self {
        self.settings.showing = Some(showing);
        self
    }

    /// The tools that a host should load even where it leaves others to a search of its own: a hint in their `_meta`.
    pub fn always_load(mut self, tools: impl IntoIterator<Item = ToolName>) -> Self {
        self.settings.always_load = tools.into_iter().collect();
        self
    }

    /// Takes what people decide beyond one call. Without it "session" and "always" are not offered.
    pub fn decisions(mut self, decisions: Arc<dyn Decisions>) -> Self {
        self.settings.decisions = Some(decisions);
        self
    }

    /// Asks people in another way, where the client cannot. Without it such calls are refused at once.
    pub fn elsewhere(mut self, elsewhere: Arc<dyn Elsewhere>) -> Self {
        self.settings.elsewhere = Some(elsewhere);
        self
    }

    /// Whether results carry `structuredContent`.
    pub fn structured(mut self, structured: Structured) -> Self {
        self.settings.structured = structured;
        self
    }

    /// How many bytes of text one answer may hold, whoever the client is; at least 2,000. Without it the client's name
    /// decides: 11,000 for Codex, which cuts what is longer than 12,000 in the middle, 25,000 for others.
    ///
    /// Calls carry it in their context: a layer of the stack has to heed it, such as that of `tools-overflow`. The server
    /// itself cuts nothing.
    pub fn answer_cap(mut self, bytes: usize) -> Self {
        self.settings.answer_cap = Some(bytes.max(2_000));
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

    /// What the client is told before anything else.
    pub fn greeting(mut self, greeting: Greeting) -> Self {
        self.settings.greeting = greeting;
        self
    }

    /// What the server calls itself in its greeting.
    pub fn identity(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.settings.greeting.name = name.into();
        self.settings.greeting.version = version.into();
        self
    }

    /// The server.
    pub fn build(self) -> McpServer {
        McpServer::new(Arc::new(self.settings))
    }
}
