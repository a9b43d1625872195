//! One client: its session, roots and calls. Turns MCP requests into dispatched calls and outcomes
//! into answers.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rmcp::model::{CallToolRequestParams, CallToolResponse, InputResponses, Tool};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, Peer, RoleServer};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tools_core::{BatchId, CallContext, InputSource, SessionId, Shared, Stack, ToolCall, ToolDefs};

use crate::answer::{self, Answers, StructuredContent};
use crate::builder::Settings;
use crate::catalog::Catalog;
use crate::input::ClientInput;
use crate::late_questions::LateQuestions;
use crate::lifetime::Lifetime;
use crate::logging::Log;
use crate::pending::OpenQuestions;
use crate::revision::asks_by_itself;
use crate::runner::{CallOutcome, Runner, failed};
use crate::subscriptions::Subscriptions;
use crate::{Prompts, Resources, roots};

/// Time limit for the client to report its roots.
const ROOTS_PATIENCE: Duration = Duration::from_secs(10);
/// Time that a call waits for the client's roots before it runs inside the configured ones.
const CALL_WAITS_FOR_ROOTS: Duration = Duration::from_secs(2);

/// Interval at which a connection checks whether its transport is still open.
const LOOKS_AFTER: Duration = Duration::from_secs(5);

/// State of the client's roots.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Roots {
    /// Whether a request for the roots is pending.
    asking: bool,
    known: ConnectionRoots,
}

/// The workspace of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ConnectionRoots {
    /// The configured workspace, not narrowed.
    Configured,
    /// The client's roots inside the configured ones; the first is the base of relative paths.
    Narrowed(Arc<Path>),
    /// The client's roots do not overlap with the configured ones.
    Nothing,
}

/// The server's side of one connection.
pub(crate) struct Connection {
    settings: Arc<Settings>,
    stack: Shared<Arc<Stack>>,
    context: CallContext,
    roots: watch::Sender<Roots>,
    /// Number of pending requests to ask the client for its roots.
    roots_wanted: AtomicUsize,
    catalog: Catalog,
    answers: Answers,
    pending: OpenQuestions,
    late: LateQuestions,
    log: Log,
    /// Subscriptions of the client to notifications, before 2026-07-28.
    subscriptions: Subscriptions,
    /// Number of calls so far, for subscriptions since 2026-07-28: each call may have changed tools
    /// and resources.
    calls: watch::Sender<u64>,
    lifetime: Lifetime,
}

impl Connection {
    pub(crate) fn new(settings: Arc<Settings>, lifetime: Lifetime) -> Self {
        Self::in_session(None, settings, lifetime)
    }

    /// A connection in this session, or in a new one.
    pub(crate) fn in_session(session: Option<SessionId>, settings: Arc<Settings>, lifetime: Lifetime) -> Self {
        let session = session.unwrap_or_else(SessionId::generate);
        let context = settings.context.clone().in_session(session);
        Self {
            stack: Shared::new(Arc::clone(&settings.stack)),
            context,
            roots: watch::Sender::new(Roots { asking: false, known: ConnectionRoots::Configured }),
            roots_wanted: AtomicUsize::new(0),
            catalog: Catalog::new(
                settings.always_load.clone(),
                settings.answer_cap,
                settings.structured == StructuredContent::Always,
            ),
            answers: Answers::default(),
            pending: OpenQuestions::default(),
            late: LateQuestions::default(),
            log: Log::default(),
            subscriptions: Subscriptions::default(),
            calls: watch::Sender::new(0),
            lifetime,
            settings,
        }
    }

    /// Minimum level of messages that the client wants about its calls.
    pub(crate) fn log(&self) -> &Log {
        &self.log
    }

    pub(crate) fn resources(&self) -> Option<&dyn Resources> {
        self.settings.resources.as_deref()
    }

    pub(crate) fn prompts(&self) -> Option<&dyn Prompts> {
        self.settings.prompts.as_deref()
    }

    pub(crate) fn subscriptions(&self) -> &Subscriptions {
        &self.subscriptions
    }

    pub(crate) fn session(&self) -> &SessionId {
        self.context.session()
    }

    fn stack(&self) -> Arc<Stack> {
        Arc::clone(&self.stack.load())
    }

    fn tools(&self) -> Arc<[Tool]> {
        self.catalog.tools(&self.shown())
    }

    /// The definitions shown to this client.
    fn shown(&self) -> ToolDefs {
        if let Some(showing) = &self.settings.showing {
            showing.settle();
        }
        let listed = self.stack().listed();
        match &self.settings.showing {
            Some(showing) => showing.shown(self.session(), &listed),
            None => listed,
        }
    }

    /// Notifies the client if the tools differ from those it knows.
    async fn tell_changes(&self, peer: &Peer<RoleServer>) {
        if self.catalog.changed(|| self.shown()) {
            let _ = peer.notify_tool_list_changed().await;
        }
    }

    /// Asks the client for its roots and narrows the workspace to them. If the client does not
    /// answer, nothing changes.
    async fn ask_roots(&self, peer: &Peer<RoleServer>) {
        // The task that is already asking repeats the request once for all that arrive meanwhile.
        if self.roots_wanted.fetch_add(1, Ordering::AcqRel) > 0 {
            return;
        }
        loop {
            let wanted = self.roots_wanted.load(Ordering::Acquire);
            let known = match root_uris(peer).await {
                Some(uris) => Some(self.narrow(&uris).await),
                None => None,
            };
            let is_last = self.roots_wanted.compare_exchange(wanted, 0, Ordering::AcqRel, Ordering::Acquire).is_ok();
            self.roots.send_modify(|roots| {
                roots.asking = !is_last;
                if let Some(known) = known {
                    roots.known = known;
                }
            });
            if is_last {
                return;
            }
        }
    }

    async fn narrow(&self, uris: &[String]) -> ConnectionRoots {
        if uris.is_empty() {
            // A client without roots does not affect the workspace: the configured one applies.
            if self.roots.borrow().known != ConnectionRoots::Configured {
                self.tell_workspace(&self.settings.roots);
            }
            return ConnectionRoots::Configured;
        }
        let mut offered = Vec::new();
        for uri in uris {
            // Canonical, so that no link or `..` leads elsewhere.
            let Some(path) = roots::path_of(uri) else {
                tracing::warn!(uri, "a root that is not a path on this machine is passed over");
                continue;
            };
            offered.extend(tokio::fs::canonicalize(path).await.ok());
        }
        let mut configured = Vec::new();
        for root in &self.settings.roots {
            configured.push(tokio::fs::canonicalize(root).await.unwrap_or_else(|_| root.clone()));
        }
        let narrowed = roots::narrow(&configured, &offered);
        self.tell_workspace(&narrowed);
        match narrowed.first() {
            Some(first) => ConnectionRoots::Narrowed(Arc::from(first.as_path())),
            None => ConnectionRoots::Nothing,
        }
    }

    fn tell_workspace(&self, roots: &[PathBuf]) {
        if let Some(workspace) = &self.settings.workspace
            && let Some(stack) = workspace.narrow(self.session(), roots)
        {
            self.stack.store(stack);
        }
    }

    /// The workspace, after a short wait for the client's roots.
    async fn workspace(&self) -> ConnectionRoots {
        if !self.roots.borrow().asking {
            return self.roots.borrow().known.clone();
        }
        let mut roots = self.roots.subscribe();
        if let Ok(Ok(roots)) = timeout(CALL_WAITS_FOR_ROOTS, roots.wait_for(|roots| !roots.asking)).await {
            return roots.known.clone();
        }
        // Wait only once: the next call does not wait again.
        self.roots.send_modify(|roots| roots.asking = false);
        self.roots.borrow().known.clone()
    }

    /// Runs one call to its answer.
    async fn answer(
        &self,
        parameters: CallToolRequestParams,
        request: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let structured = self.settings.structured.for_request(&request.meta);
        let cap = self.cap(request);
        let call = match ToolCall::new(&parameters.name, parameters.arguments.unwrap_or_default().into()) {
            Ok(call) => call,
            Err(error) => {
                // The name is not a valid tool name, so nothing can be dispatched.
                tracing::warn!(%error, "a call names no tool");
                return Ok(self.answers.of(failed(error), None, structured, cap).into());
            }
        };
        let call = self.under_caller(call);
        let tool = call.tool.clone();
        let ran = self.run_call(call, request, parameters.input_responses, parameters.request_state).await;
        let recorded = match ran {
            CallOutcome::Recorded(recorded) => *recorded,
            CallOutcome::Ask(question) => return Ok(question.into()),
            CallOutcome::Refused(error) => return Err(error),
        };
        // The stack may have changed while the call waited for the client's roots.
        let definition = self.stack().definition(&tool);
        self.log.tell(&tool, &recorded, request).await;
        let journal = recorded.journal.clone();
        let mut result = self.answers.of(recorded, definition.as_deref(), structured, cap);
        self.link(&mut result, &journal, request).await;
        Ok(result.into())
    }

    /// Sets this client as the caller.
    pub(crate) fn under_caller(&self, call: ToolCall) -> ToolCall {
        match &self.settings.caller {
            Some(caller) => call.with_caller(caller.clone()),
            None => call,
        }
    }

    /// Runs a call in the workspace of this connection.
    pub(crate) async fn run_call(
        &self,
        call: ToolCall,
        request: &RequestContext<RoleServer>,
        answers: Option<InputResponses>,
        state: Option<String>,
    ) -> CallOutcome {
        let workspace = self.workspace().await;
        let stack = self.stack();
        let context = self.context.clone().in_batch(BatchId::generate()).with_cancel(request.ct.clone());
        let input = ClientInput::new(request, call.tool.clone(), self.settings.question_timeout, answers);
        let input = Arc::new(input);
        let source = Arc::clone(&input) as Arc<dyn InputSource>;
        let context = context.answering(answer::budget(self.cap(request))).with_input(source);
        let runner = Runner {
            settings: &self.settings,
            pending: &self.pending,
            late: &self.late,
            stack: &stack,
            request,
            input: &input,
            context: match &workspace {
                ConnectionRoots::Narrowed(first) => context.with_workdir(first.to_path_buf()),
                ConnectionRoots::Configured | ConnectionRoots::Nothing => context,
            },
        };
        let outcome = if workspace == ConnectionRoots::Nothing {
            CallOutcome::Recorded(Box::new(Box::pin(runner.refuse_outside(call)).await))
        } else {
            runner.run(call, state).await
        };
        if asks_by_itself(request) {
            self.tell_updates(&request.peer).await;
        } else {
            // Only subscribers are notified.
            self.calls.send_modify(|calls| *calls += 1);
        }
        outcome
    }

    /// Maximum answer size in bytes for this request.
    fn cap(&self, request: &RequestContext<RoleServer>) -> usize {
        self.settings.answer_cap.unwrap_or_else(|| {
            let client = request.client_info();
            answer::cap_of_client(client.as_ref().map_or("", |info| &info.name))
        })
    }
}

/// The URIs of the client's roots; `None` if it does not report them.
#[expect(deprecated, reason = "clients of the handshake versions have roots")]
async fn root_uris(peer: &Peer<RoleServer>) -> Option<Vec<String>> {
    match timeout(ROOTS_PATIENCE, peer.list_roots()).await {
        Ok(Ok(listed)) => Some(listed.roots.into_iter().map(|root| root.uri).collect()),
        Ok(Err(error)) => {
            tracing::warn!(%error, "the client did not tell its roots");
            None
        }
        Err(_) => {
            tracing::warn!("the client did not tell its roots in time");
            None
        }
    }
}

/// Completes when the host reports changed definitions; never if it does not report them.
fn host_tells(settings: &Settings) -> impl Future<Output = ()> + '_ {
    // Created at once, so that a change before the first poll is not missed.
    let changed = settings.definitions_changed.as_ref().map(|changed| changed.notified());
    async {
        match changed {
            Some(changed) => changed.await,
            None => std::future::pending().await,
        }
    }
}

/// Completes some time after the transport has closed: a host with its own transport does not
/// report that.
async fn gone(peer: &Peer<RoleServer>) {
    while !peer.is_transport_closed() {
        sleep(LOOKS_AFTER).await;
    }
}

impl Connection {
    /// Called when the client declared roots: calls then wait for them briefly.
    pub(crate) fn expect_roots(&self) {
        if !self.settings.roots.is_empty() {
            self.roots.send_modify(|roots| roots.asking = true);
        }
    }

    /// Runs from the end of the handshake to the end of the connection.
    pub(crate) async fn run_until_closed(&self, peer: &Peer<RoleServer>) {
        let asking = self.roots.borrow().asking;
        if asking {
            Box::pin(self.ask_roots(peer)).await;
        }
        loop {
            let changed = host_tells(&self.settings);
            self.tell_changes(peer).await;
            tokio::select! {
                () = self.lifetime.ended.cancelled() => return,
                () = gone(peer) => return,
                () = changed => {}
            }
        }
    }

    /// Called when the client's roots have changed.
    pub(crate) async fn ask_roots_again(&self, peer: &Peer<RoleServer>) {
        if !self.settings.roots.is_empty() {
            self.expect_roots();
            self.ask_roots(peer).await;
        }
    }

    /// The current list of tools.
    pub(crate) fn list(&self) -> Vec<Tool> {
        self.tools().to_vec()
    }

    /// Makes one call, and notifies the client if it changed the tools.
    pub(crate) async fn call(
        &self,
        parameters: CallToolRequestParams,
        request: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let answer = self.answer(parameters, request).await;
        if asks_by_itself(request) {
            self.tell_changes(&request.peer).await;
        }
        answer
    }

    /// Notifies a subscription of changed tools and resources until it ends.
    pub(crate) async fn tell_subscription(&self, subscription: &SubscriptionContext) {
        let mut calls = self.calls.subscribe();
        let resources = subscription.accepted().resource_subscriptions.iter().flatten();
        let resources: Vec<&String> = resources.filter(|uri| self.changes(uri)).collect();
        loop {
            let changed = host_tells(&self.settings);
            if self.catalog.changed(|| self.shown()) {
                let _ = subscription.sink().notify_tool_list_changed().await;
            }
            tokio::select! {
                () = subscription.cancelled() => return,
                called = calls.changed() => {
                    if called.is_err() {
                        return;
                    }
                    for uri in &resources {
                        let _ = subscription.sink().notify_resource_updated(uri.as_str()).await;
                    }
                }
                () = changed => {}
            }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(workspace) = &self.settings.workspace {
            workspace.ended(self.session());
        }
    }
}
