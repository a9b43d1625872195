//! Settings that a host makes before a server starts.

use std::{collections::BTreeSet, path::PathBuf, sync::Arc, time::Duration};

use tokio::sync::Notify;
use tools_core::{CallContext, CallerId, Decisions, Stack, ToolName};

use crate::{FallbackConfirmer, Greeting, McpServer, Prompts, Resources, StructuredContent, ToolVisibility, Workspace};

/// Default time limit for answers.
const QUESTION_TIMEOUT: Duration = Duration::from_mins(2);

/// The settings of a server.
pub(crate) struct Settings {
    pub(crate) stack: Arc<Stack>,
    pub(crate) context: CallContext,
    pub(crate) caller: Option<CallerId>,
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) workspace: Option<Arc<dyn Workspace>>,
    pub(crate) showing: Option<Arc<dyn ToolVisibility>>,
    pub(crate) resources: Option<Arc<dyn Resources>>,
    pub(crate) prompts: Option<Arc<dyn Prompts>>,
    pub(crate) always_load: BTreeSet<ToolName>,
    pub(crate) decisions: Option<Arc<dyn Decisions>>,
    pub(crate) fallback: Option<Arc<dyn FallbackConfirmer>>,
    pub(crate) structured: StructuredContent,
    pub(crate) answer_cap: Option<usize>,
    pub(crate) question_timeout: Duration,
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
                caller: None,
                roots: vec![],
                workspace: None,
                showing: None,
                resources: None,
                prompts: None,
                always_load: BTreeSet::new(),
                decisions: None,
                fallback: None,
                structured: StructuredContent::default(),
                answer_cap: None,
                question_timeout: QUESTION_TIMEOUT,
                definitions_changed: None,
                greeting: Greeting::default(),
            },
        }
    }

    /// Sets the context of every call: trust, phase, environment and working directory.
    ///
    /// Default: calls are trusted, and relative paths start at `/`.
    pub fn context(mut self, context: CallContext) -> Self {
        self.settings.context = context;
        self
    }

    /// Sets the caller of all calls. The name that a client reports is not used for that.
    pub fn caller(mut self, caller: CallerId) -> Self {
        self.settings.caller = Some(caller);
        self
    }

    /// Sets the configured roots, absolute paths. The roots of a client can narrow but never widen
    /// them.
    pub fn roots(mut self, roots: Vec<PathBuf>) -> Self {
        self.settings.roots = roots;
        self
    }

    /// Sets the receiver of narrowed roots. Without one, narrowed roots only set where relative
    /// paths start.
    ///
    /// # Security
    /// A host whose tools have their own roots must set this; otherwise a client's narrower roots
    /// are not enforced.
    pub fn workspace(mut self, workspace: Arc<dyn Workspace>) -> Self {
        self.settings.workspace = Some(workspace);
        self
    }

    /// Sets what decides which tools a session sees, and with which descriptions. Default: all
    /// tools of the stack.
    pub fn showing(mut self, showing: Arc<dyn ToolVisibility>) -> Self {
        self.settings.showing = Some(showing);
        self
    }

    /// Sets what clients can list and read beside the tools. Default: nothing.
    pub fn resources(mut self, resources: Arc<dyn Resources>) -> Self {
        self.settings.resources = Some(resources);
        self
    }

    /// Sets what clients offer their users as commands. Default: nothing.
    pub fn prompts(mut self, prompts: Arc<dyn Prompts>) -> Self {
        self.settings.prompts = Some(prompts);
        self
    }

    /// Marks tools that a host with a tool search should always load, as a hint in their `_meta`.
    pub fn always_load(mut self, tools: impl IntoIterator<Item = ToolName>) -> Self {
        self.settings.always_load = tools.into_iter().collect();
        self
    }

    /// Sets what stores answers for a session or for ever. Without it, "session" and "always" are
    /// not offered.
    pub fn decisions(mut self, decisions: Arc<dyn Decisions>) -> Self {
        self.settings.decisions = Some(decisions);
        self
    }

    /// Sets another way to ask people, for clients that cannot. Without it, such calls are refused
    /// at once.
    pub fn fallback(mut self, fallback: Arc<dyn FallbackConfirmer>) -> Self {
        self.settings.fallback = Some(fallback);
        self
    }

    /// Sets whether results carry `structuredContent`.
    pub fn structured(mut self, structured: StructuredContent) -> Self {
        self.settings.structured = structured;
        self
    }

    /// Sets the maximum number of bytes of text in one answer, for every client; at least 2,000.
    /// Default: by the client's name, 11,000 for Codex, which cuts the middle out of answers above
    /// 12,000, and 25,000 for others.
    ///
    /// The limit is in the context of each call. A layer of the stack, such as that of
    /// `tools-overflow`, has to apply it; the server itself does not cut answers.
    pub fn answer_cap(mut self, bytes: usize) -> Self {
        self.settings.answer_cap = Some(bytes.max(2_000));
        self
    }

    /// Sets the time limit for answers. A call without an answer in time is refused. For clients of
    /// versions before 2026-07-28 the question stays open for ten minutes more: a later answer
    /// counts when the same call asks the same again. In later versions a late answer makes the
    /// server ask again.
    pub fn question_timeout(mut self, patience: Duration) -> Self {
        self.settings.question_timeout = patience;
        self
    }

    /// Sets a signal by which the host (`notify_waiters`) reports changed definitions, so that
    /// clients are notified at once. Without it they are notified after their next call.
    pub fn definitions_changed(mut self, changed: Arc<Notify>) -> Self {
        self.settings.definitions_changed = Some(changed);
        self
    }

    /// Sets the instructions for the model.
    pub fn greeting(mut self, greeting: Greeting) -> Self {
        self.settings.greeting = greeting;
        self
    }

    /// Sets the name and version that the server reports.
    pub fn identity(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.settings.greeting.name = name.into();
        self.settings.greeting.version = version.into();
        self
    }

    /// Builds the server.
    pub fn build(mut self) -> McpServer {
        self.settings.greeting.resources |= self.settings.resources.is_some();
        self.settings.greeting.prompts |= self.settings.prompts.is_some();
        McpServer::new(Arc::new(self.settings))
    }
}
