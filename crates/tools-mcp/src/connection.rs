//! One client: its session, its roots, its calls. Turns MCP requests into dispatched calls and outcomes into answers.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use rmcp::{
    Peer, RoleServer,
    model::{
        CallToolRequestParams, CallToolResponse, CancelledNotificationParam, ClientCapabilities, ElicitRequest,
        ElicitRequestParams, ElicitResult, InputRequest, InputRequiredResult, ProgressToken, ProtocolVersion,
        ServerRequest, Tool,
    },
    service::{PeerRequestOptions, RequestContext, ServiceError, SubscriptionContext},
};
use tokio::{
    sync::{Notify, watch},
    time::{Instant, timeout},
};
use tokio_util::sync::CancellationToken;
use tools_core::{
    Answer, Approval, BatchId, CallContext, CallerId, EventSink, Recorded, Refusal, SessionId, Shared, Stack, ToolCall,
    ToolError, ToolErrorCategory,
};

use crate::{
    answer::Answers,
    builder::Settings,
    catalog::Catalog,
    lifetime::{Lifetime, PATIENCE},
    pending::Pending,
    progress::{Feed, FeedConsumer, reporting},
    question::{Question, Unanswered, refusal},
    roots,
};

/// How long a client may take to tell its roots.
const ROOTS_PATIENCE: Duration = Duration::from_secs(10);
/// How long a call waits for the client's roots before it runs inside the configured ones.
const CALL_WAITS_FOR_ROOTS: Duration = Duration::from_secs(2);
/// The key of the one question in a multi round-trip answer.
const QUESTION: &str = "approval";

/// What is known of the client's roots.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Roots {
    /// Whether the client was asked, or will be, and was not heard yet.
    asking: bool,
    known: Known,
}

/// The workspace of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Known {
    /// The configured one, unnarrowed.
    Configured,
    /// The client's roots inside the configured ones; the first is where relative paths start.
    Narrowed(Arc<Path>),
    /// The client's roots have nothing in common with the configured ones.
    Nothing,
}

/// The server's side of one connection.
pub(crate) struct Connection {
    settings: Arc<Settings>,
    stack: Shared<Arc<Stack>>,
    context: CallContext,
    roots: watch::Sender<Roots>,
    catalog: Catalog,
    answers: Answers,
    pending: Pending,
    /// Wakes subscriptions of this connection when a call found that the tools changed.
    stale: Notify,
    lifetime: Lifetime,
}

impl Connection {
    pub(crate) fn new(settings: Arc<Settings>, lifetime: Lifetime) -> Self {
        let session = settings.session.clone().unwrap_or_else(SessionId::generate);
        let context = settings.context.clone().in_session(session.clone());
        Self {
            stack: Shared::new(Arc::clone(&settings.stack)),
            context,
            roots: watch::Sender::new(Roots { asking: false, known: Known::Configured }),
            catalog: Catalog::default(),
            answers: Answers {
                cap: settings.answer_cap,
                session,
                continuations: settings.continuations.clone(),
                warned: std::sync::Mutex::default(),
            },
            pending: Pending::default(),
            stale: Notify::new(),
            lifetime,
            settings,
        }
    }

    fn session(&self) -> &SessionId {
        self.context.session()
    }

    fn stack(&self) -> Arc<Stack> {
        Arc::clone(&self.stack.load())
    }

    fn tools(&self) -> Arc<[Tool]> {
        self.catalog.tools(&self.stack().listed())
    }

    /// Tells the client when the tools are not the ones it was told of.
    async fn tell_changes(&self, peer: &Peer<RoleServer>) {
        if self.catalog.changed(&self.stack().listed()) {
            let _ = peer.notify_tool_list_changed().await;
        }
    }

    /// Asks the client for its roots and narrows the workspace to them. A client that does not answer changes nothing.
    async fn ask_roots(&self, peer: &Peer<RoleServer>) {
        let known = match root_uris(peer).await {
            Some(uris) => Some(self.narrow(&uris).await),
            None => None,
        };
        self.roots.send_modify(|roots| {
            roots.asking = false;
            if let Some(known) = known {
                roots.known = known;
            }
        });
    }

    async fn narrow(&self, uris: &[String]) -> Known {
        if uris.is_empty() {
            // A client that offers none has nothing to say about it: the configured workspace stands.
            if self.roots.borrow().known != Known::Configured {
                self.tell_workspace(&self.settings.roots);
            }
            return Known::Configured;
        }
        let mut offered = Vec::new();
        for uri in uris {
            // Canonical, so that no link and no `..` in it leads elsewhere than it seems.
            let Some(path) = roots::path_of(uri) else {
                tracing::warn!(uri, "a root that is no path on this machine is passed over");
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
            Some(first) => Known::Narrowed(Arc::from(first.as_path())),
            None => Known::Nothing,
        }
    }

    fn tell_workspace(&self, roots: &[PathBuf]) {
        if let Some(workspace) = &self.settings.workspace
            && let Some(stack) = workspace.narrow(self.session(), roots)
        {
            self.stack.store(stack);
        }
    }

    /// The workspace, once the client had a moment to tell its roots.
    async fn workspace(&self) -> Known {
        if !self.roots.borrow().asking {
            return self.roots.borrow().known.clone();
        }
        let mut roots = self.roots.subscribe();
        if let Ok(Ok(roots)) = timeout(CALL_WAITS_FOR_ROOTS, roots.wait_for(|roots| !roots.asking)).await {
            return roots.known.clone();
        }
        // Waited for once: the next call need not.
        self.roots.send_modify(|roots| roots.asking = false);
        self.roots.borrow().known.clone()
    }

    /// Runs one call to its answer.
    async fn answer(
        &self,
        parameters: CallToolRequestParams,
        request: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let structured = self.settings.structured.for_request(&request.meta);
        let call = match ToolCall::new(&parameters.name, parameters.arguments.unwrap_or_default().into()) {
            Ok(call) => call,
            Err(error) => {
                // No name of a tool at all: there is nothing that could be dispatched.
                tracing::warn!(%error, "a call names no tool");
                return self.answers.of(failed(error), None, structured).into();
            }
        };
        let call = match &self.settings.caller {
            Some(caller) => call.with_caller(caller.clone()),
            None => call,
        };
        let workspace = self.workspace().await;
        let stack = self.stack();
        let definition = stack.definition(&call.tool);
        let context = self.context.clone().in_batch(BatchId::generate());
        let runner = Runner {
            connection: self,
            stack: &stack,
            request,
            context: match &workspace {
                Known::Narrowed(first) => context.with_workdir(first.to_path_buf()),
                Known::Configured | Known::Nothing => context,
            },
        };
        let recorded = if workspace == Known::Nothing {
            Box::pin(runner.refuse_outside(call)).await
        } else {
            match runner.run(call, parameters.input_responses, parameters.request_state).await {
                Ran::Recorded(recorded) => recorded,
                Ran::Ask(question) => return question.into(),
            }
        };
        self.answers.of(recorded, definition.as_deref(), structured).into()
    }
}

/// How a call went.
enum Ran {
    Recorded(Recorded),
    /// The client has to ask a person and send the call again.
    Ask(InputRequiredResult),
}

/// One call on its way.
struct Runner<'a> {
    connection: &'a Connection,
    stack: &'a Stack,
    request: &'a RequestContext<RoleServer>,
    context: CallContext,
}

impl Runner<'_> {
    async fn run(&self, call: ToolCall, answers: Option<rmcp::model::InputResponses>, state: Option<String>) -> Ran {
        if let Some(state) = state {
            return Ran::Recorded(Box::pin(self.resume(call, answers, &state)).await);
        }
        let recorded = self.dispatch(&call, None).await;
        let error = match &recorded.outcome {
            Err(error) if error.category() == ToolErrorCategory::ConfirmationRequired => error.clone(),
            _ => return Ran::Recorded(recorded),
        };
        let Some(prompt) = error.prompt() else {
            return Ran::Recorded(recorded);
        };
        let question = Question::new(prompt, self.connection.settings.decisions.is_some());
        if !can_ask(self.request.client_capabilities().as_ref()) {
            return Ran::Recorded(replaced(recorded, refusal(&error, Unanswered::CannotAsk)));
        }
        if asks_by_itself(self.request) {
            let asked = Instant::now();
            let answer = Box::pin(self.ask(&question)).await;
            return Ran::Recorded(Box::pin(self.go_on(call, recorded, &error, (answer, asked.elapsed()))).await);
        }
        let request = elicitation(&question);
        let patience = self.connection.settings.question_timeout;
        let state = self.connection.pending.ask(question, error, call.digest(), patience);
        let requests = [(QUESTION.to_owned(), InputRequest::Elicitation(ElicitRequest::new(request)))];
        Ran::Ask(InputRequiredResult::new(Some(requests.into()), Some(state)))
    }

    /// Goes on with a call that came back with a person's answer.
    async fn resume(&self, call: ToolCall, answers: Option<rmcp::model::InputResponses>, state: &str) -> Recorded {
        let Some(asked) = self.connection.pending.take(state, call.digest()) else {
            // Judged anew, so that what is on record is what a gate says and not what a client claims.
            let recorded = self.dispatch(&call, None).await;
            return match &recorded.outcome {
                Err(error) if error.category() == ToolErrorCategory::ConfirmationRequired => {
                    let error = refusal(error, Unanswered::BadState);
                    replaced(recorded, error)
                }
                _ => recorded,
            };
        };
        let answer = answers.and_then(|mut answers| answers.remove(QUESTION));
        let answer = answer.and_then(|answer| serde_json::from_value::<ElicitResult>(answer).ok());
        let answer = answer.map_or(Answer::Nobody, |answer| asked.question.read(&answer));
        self.go_on(call, failed(asked.error.clone()), &asked.error, (answer, asked.waited())).await
    }

    /// Does what the person said, after the time for which they were asked.
    async fn go_on(
        &self,
        call: ToolCall,
        refused: Recorded,
        error: &ToolError,
        (answer, waited): (Answer, Duration),
    ) -> Recorded {
        let decisions = self.connection.settings.decisions.as_ref();
        let rule = || error.prompt().and_then(|prompt| prompt.would_store.clone());
        match answer {
            Answer::Once => {}
            Answer::Session => {
                if let (Some(decisions), Some(rule)) = (decisions, rule()) {
                    decisions.allow_for_session(self.connection.session(), rule);
                }
            }
            Answer::Always => {
                if let (Some(decisions), Some(rule)) = (decisions, rule()) {
                    decisions.allow_always(&self.context, rule);
                }
            }
            Answer::No(why) => {
                let told = refusal(error, Unanswered::Declined);
                if let Some(decisions) = decisions {
                    let refusal = Refusal { by: self.person(), waited, why };
                    decisions.declined(call, &self.context, refusal, told.clone()).await;
                }
                return replaced(refused, told);
            }
            Answer::Nobody => return replaced(refused, refusal(error, Unanswered::Nobody)),
        }
        let approval = Approval::grant(&call, self.person(), self.connection.settings.clock.as_ref()).after(waited);
        self.dispatch(&call, Some(approval)).await
    }

    /// Runs the call through the stack, telling how it gets on where the client wants to know.
    async fn dispatch(&self, call: &ToolCall, approval: Option<Approval>) -> Recorded {
        let context = self.context.clone().with_cancel(self.request.ct.clone());
        let Some(token) = self.request.meta.get_progress_token() else {
            return self.bounded(call, approval, &context).await;
        };
        Box::pin(self.dispatch_reporting(call, approval, context, token)).await
    }

    async fn dispatch_reporting(
        &self,
        call: &ToolCall,
        approval: Option<Approval>,
        context: CallContext,
        token: ProgressToken,
    ) -> Recorded {
        let feed = Arc::new(Feed::default());
        let context = context.with_events(EventSink::new(FeedConsumer(Arc::clone(&feed))));
        let running = self.bounded(call, approval, &context);
        reporting(running, &feed, &self.request.peer, token).await
    }

    /// A cancelled call has a moment to put itself on record; then its future is dropped.
    async fn bounded(&self, call: &ToolCall, approval: Option<Approval>, context: &CallContext) -> Recorded {
        let overdue = async {
            context.cancel().cancelled().await;
            tokio::time::sleep(PATIENCE).await;
        };
        tokio::select! {
            biased;
            recorded = self.stack.run(call.clone(), approval, context) => recorded,
            () = overdue => failed(ToolError::new(
                ToolErrorCategory::Cancelled,
                "cancelled",
                format!("the call of `{}` was cancelled", call.tool),
            )),
        }
    }

    /// Refuses a call of a client whose roots leave nothing to work on.
    ///
    /// It goes through the layers under a token that is already cancelled: put on record, never run.
    async fn refuse_outside(&self, call: ToolCall) -> Recorded {
        let cancelled = CancellationToken::new();
        cancelled.cancel();
        let context = self.context.clone().with_cancel(cancelled);
        let recorded = self.stack.run(call, None, &context).await;
        let error = ToolError::new(
            ToolErrorCategory::PolicyBlocked,
            "no_usable_root",
            "none of the roots this client offers lies inside the workspace of this server",
        );
        let advice = "Tell the user that the client's folder and the server's workspace have nothing in common.";
        replaced(recorded, error.with_suggestion(advice))
    }

    /// Asks through the client. Ends by itself: at an answer, at the deadline, when the call is cancelled.
    async fn ask(&self, question: &Question) -> Answer {
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(elicitation(question)));
        let options = PeerRequestOptions::with_timeout(self.connection.settings.question_timeout);
        let answered = match self.request.peer.send_cancellable_request(request, options).await {
            Ok(asked) => {
                let question = asked.id.clone();
                tokio::select! {
                    biased;
                    () = self.request.ct.cancelled() => {
                        // The client need not show a question whose answer nobody waits for.
                        let withdrawn = CancelledNotificationParam::new(Some(question), None);
                        let _ = self.request.peer.notify_cancelled(withdrawn).await;
                        return Answer::Nobody;
                    }
                    answered = asked.await_response() => answered,
                }
            }
            Err(error) => Err(error),
        };
        match answered {
            Ok(rmcp::model::ClientResult::ElicitResult(result)) => question.read(&result),
            Ok(_) | Err(ServiceError::Timeout { .. }) => Answer::Nobody,
            Err(error) => {
                tracing::warn!(%error, "the question was not answered");
                Answer::Nobody
            }
        }
    }

    /// Who agreed: the person behind this client.
    fn person(&self) -> CallerId {
        let client = self.request.client_info().map(|info| info.name).unwrap_or_default();
        let client: String = client.chars().filter(|c| !c.is_control()).take(100).collect();
        CallerId::parse(&format!("mcp:{client}")).unwrap_or_else(|_| CallerId::generate())
    }
}

/// The URIs of the client's roots; `None` when it does not tell them.
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

/// Ends when the host says that the definitions changed; never where it does not say.
fn host_tells(settings: &Settings) -> impl Future<Output = ()> + '_ {
    // Made at once: a change between now and the first poll is not missed.
    let changed = settings.definitions_changed.as_ref().map(|changed| changed.notified());
    async {
        match changed {
            Some(changed) => changed.await,
            None => std::future::pending().await,
        }
    }
}

/// Before 2026-07-28 a server sends questions and changes by itself; since then it may not.
fn asks_by_itself(request: &RequestContext<RoleServer>) -> bool {
    let version = request.protocol_version();
    version.is_none_or(|version| version < ProtocolVersion::V_2026_07_28)
}

fn elicitation(question: &Question) -> ElicitRequestParams {
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.message.clone(),
        requested_schema: question.schema(),
    }
}

/// Whether the client shows forms: `elicitation: {}` means it does, `{"url": {}}` alone that it does not.
fn can_ask(capabilities: Option<&ClientCapabilities>) -> bool {
    let elicitation = capabilities.and_then(|capabilities| capabilities.elicitation.as_ref());
    elicitation.is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none())
}

fn failed(error: ToolError) -> Recorded {
    Recorded { outcome: Err(error), journal: tools_core::Journal::default() }
}

fn replaced(recorded: Recorded, error: ToolError) -> Recorded {
    Recorded { outcome: Err(error), ..recorded }
}

impl Connection {
    /// The client declared that it has roots: calls wait for them a moment.
    pub(crate) fn expect_roots(&self) {
        if !self.settings.roots.is_empty() {
            self.roots.send_modify(|roots| roots.asking = true);
        }
    }

    /// The handshake is over. Ends with the connection.
    pub(crate) async fn accompany(&self, peer: &Peer<RoleServer>) {
        let asking = self.roots.borrow().asking;
        if asking {
            Box::pin(self.ask_roots(peer)).await;
        }
        loop {
            let changed = host_tells(&self.settings);
            self.tell_changes(peer).await;
            tokio::select! {
                () = self.lifetime.ended.cancelled() => return,
                () = changed => {}
            }
        }
    }

    /// The client's roots changed.
    pub(crate) async fn ask_roots_again(&self, peer: &Peer<RoleServer>) {
        if !self.settings.roots.is_empty() {
            self.expect_roots();
            self.ask_roots(peer).await;
        }
    }

    /// The tools, as they are now.
    pub(crate) fn list(&self) -> Vec<Tool> {
        self.tools().to_vec()
    }

    /// One call, and word of changed tools where it brought them about.
    pub(crate) async fn call(
        &self,
        parameters: CallToolRequestParams,
        request: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let answer = self.answer(parameters, request).await;
        if asks_by_itself(request) {
            self.tell_changes(&request.peer).await;
        } else {
            // Only who subscribed is told.
            self.stale.notify_waiters();
        }
        answer
    }

    /// Tells a subscription of changed tools until it ends.
    pub(crate) async fn tell_subscription(&self, subscription: &SubscriptionContext) {
        loop {
            let (stale, changed) = (self.stale.notified(), host_tells(&self.settings));
            if self.catalog.changed(&self.stack().listed()) {
                let _ = subscription.sink().notify_tool_list_changed().await;
            }
            tokio::select! {
                () = subscription.cancelled() => return,
                () = stale => {}
                () = changed => {}
            }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(continuations) = &self.settings.continuations {
            continuations.forget(self.session());
        }
        // Several connections may be in one session that the host named; then the host knows when it ends.
        if let (None, Some(workspace)) = (&self.settings.session, &self.settings.workspace) {
            workspace.ended(self.session());
        }
    }
}
