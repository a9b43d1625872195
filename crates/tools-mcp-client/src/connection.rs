//! One connection to one server: started, greeted, listed, compared with what was accepted; calls
//! go over it until it ends.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, PaginatedRequestParams, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, RunningService, serve_client_with_lifecycle};
use rmcp::transport::Transport;
use rmcp::{RoleClient, ServiceError};
use tokio::sync::{Mutex, Notify};
use tokio::time::{sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use tools_core::{InputSource, JsonObject, Shared};
use tools_sandbox::obeyed::Look;

use crate::McpError;
use crate::child::{Child, Tail, ending};
use crate::config::Server;
use crate::error::shown;
use crate::forms::{OpenCall, OpenCalls};
use crate::handler::Handler;
use crate::listing::{HoldReason, Listing};
use crate::log_text::LogText;
use crate::pins::Definition;
use crate::prepared::PreparedChild;
#[cfg(feature = "http")]
use crate::prepared::PreparedRemote;
use crate::transport::{Lines, Notes};

/// Tools of one server that are taken.
const MAX_TOOLS: usize = 2_000;
/// Bytes that the definitions of one server may take together.
const MAX_BYTES: usize = 8 << 20;
/// Pages of a list that are asked for.
const MAX_PAGES: usize = 200;
/// A list older than this is asked for again before a call, whether or not the server said that it
/// changed.
const LIST_AGE: Duration = Duration::from_secs(30);

/// Rounds of questions in one call.
const MAX_ROUNDS: usize = 10;
/// How often a call that asks a person looks whether its time is over.
const LOOKS_AFTER: Duration = Duration::from_millis(50);

/// How long the end of a session over HTTP may take.
const LEAVE: Duration = Duration::from_secs(6);

/// What a list is compared with and becomes; called after each listing.
pub(crate) type Judge = Arc<dyn Fn(&Server, Vec<Definition>) -> Result<Listing, McpError> + Send + Sync>;

/// A connection. Dropping it ends the server at once; [`Connection::stop`] lets it end by itself
/// first.
pub(crate) struct Connection {
    server: Arc<Server>,
    service: RunningService<RoleClient, Handler>,
    far: Far,
    judge: Judge,
    /// Where forms of the server go; `None` where it may put none.
    forms: Option<OpenCalls>,
    listing: Shared<(Instant, Listing)>,
    relisting: Mutex<()>,
    /// Looks at what the server changes, if it may.
    pub(crate) look: Option<Look>,
    pub(crate) since: Instant,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Connection").field(&self.server.id()).finish()
    }
}

impl Connection {
    /// Starts a server and asks for its tools.
    pub(crate) async fn start(
        server: Arc<Server>,
        prepared: PreparedChild,
        judge: Judge,
        woken: Arc<Notify>,
        log: LogText,
    ) -> Result<Self, McpError> {
        let (tail, look) = (Tail::logging(log.clone()), prepared.look.clone());
        let started = Child::start(prepared, &tail).await;
        let (child, streams) =
            started.map_err(|error| McpError::Start { server: server.id().to_owned(), problem: error.to_string() })?;
        let notes = Notes::logging(log);
        let lines = Lines::new(streams.stdout, streams.stdin, notes.clone());
        let far = Far { child: Mutex::new(Some(child)), notes, tail, over: None };
        Ok(Self { look, ..Self::open(server, lines, far, judge, woken).await? })
    }

    /// Reaches a server at its address and asks for its tools.
    #[cfg(feature = "http")]
    pub(crate) async fn reach(
        server: Arc<Server>,
        prepared: PreparedRemote,
        net: Arc<crate::http::Net>,
        judge: Judge,
        woken: Arc<Notify>,
        log: LogText,
    ) -> Result<Self, McpError> {
        let (notes, over) = (Notes::logging(log), CancellationToken::new());
        let transport = crate::http::connect(&server, prepared, net, notes.clone(), over.clone());
        let transport = transport.map_err(|fault| fault.of(server.id()))?;
        let far = Far { child: Mutex::default(), notes, tail: Tail::default(), over: Some(over) };
        Self::open(server, transport, far, judge, woken).await
    }

    /// Greets a server and asks for its tools.
    async fn open<T>(
        server: Arc<Server>,
        transport: T,
        far: Far,
        judge: Judge,
        woken: Arc<Notify>,
    ) -> Result<Self, McpError>
    where
        T: Transport<RoleClient> + 'static,
    {
        let id = || server.id().to_owned();
        let forms = server.config.elicitation.then(OpenCalls::default);
        let handler = Handler::new(far.notes.clone(), woken, forms.clone());
        let lifecycle = ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            legacy_version: Some(ProtocolVersion::V_2025_11_25),
        };
        let until = Instant::now() + server.start_timeout;
        let greeting = timeout(server.start_timeout, serve_client_with_lifecycle(handler, transport, lifecycle)).await;
        let service = match greeting {
            Ok(Ok(service)) => service,
            Ok(Err(error)) => {
                log_tail(&server, &far.tail);
                return Err(far.greeting_failed(&server, &error.to_string()).await);
            }
            Err(_) => {
                log_tail(&server, &far.tail);
                let seconds = server.start_timeout.as_secs();
                return Err(McpError::Handshake { server: id(), problem: format!("no answer within {seconds} s") });
            }
        };
        let now = Instant::now();
        let listing = Shared::new((now, Listing::default()));
        let relisting = Mutex::new(());
        let made = Self {
            service,
            far,
            judge,
            forms,
            listing,
            relisting,
            look: None,
            since: now,
            server: Arc::clone(&server),
        };
        match timeout(until.saturating_duration_since(now).max(Duration::from_millis(100)), made.list()).await {
            Ok(Ok(())) => Ok(made),
            Ok(Err(error)) => {
                log_tail(&server, &made.far.tail);
                Err(match error {
                    McpError::Gone { server, problem } => McpError::Handshake {
                        server,
                        problem: problem.unwrap_or_else(|| "it ended before it listed its tools".to_owned()),
                    },
                    McpError::ToolCall { server, message, .. } => {
                        McpError::Handshake { server, problem: format!("it does not list its tools: {message}") }
                    }
                    other => other,
                })
            }
            Err(_) => Err(McpError::Handshake { server: id(), problem: "no list of tools in time".to_owned() }),
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.far.is_over() || self.service.is_closed() || self.service.peer().is_transport_closed()
    }

    /// What the server listed last, judged.
    pub(crate) fn listing(&self) -> Listing {
        self.listing.load().1.clone()
    }

    /// What the server says about itself: name, version, revision of the protocol.
    pub(crate) fn about(&self) -> Option<(String, String, String)> {
        let info = self.service.peer_info()?;
        let about = info.server_info.as_ref().map(|about| (shown(&about.name), shown(&about.version)));
        let (name, version) = about.unwrap_or_else(|| ("unnamed".to_owned(), String::new()));
        Some((name, version, info.protocol_version.to_string()))
    }

    /// What the server wrote to standard error last.
    pub(crate) fn last_words(&self) -> String {
        self.far.tail.text()
    }

    /// Client features that the server asked for and was not offered, and how many lines it wrote
    /// that are no messages.
    pub(crate) fn misdeeds(&self) -> (Vec<&'static str>, usize) {
        (self.far.notes.all_asked(), self.far.notes.noise())
    }

    /// Asks for the list again where the server said that it changed, or where it is old.
    pub(crate) async fn refresh(&self) -> Result<(), McpError> {
        let _one = self.relisting.lock().await;
        let changed = self.service.service().take_changed();
        if changed || self.listing.load().0.elapsed() > LIST_AGE { self.list().await } else { Ok(()) }
    }

    /// Asks for the list and judges it.
    pub(crate) async fn list(&self) -> Result<(), McpError> {
        let mut definitions = Vec::new();
        let (mut cursor, mut bytes) = (None::<String>, 0);
        let too_much =
            |what: &str| McpError::Protocol { server: self.id(), problem: format!("its list of tools has {what}") };
        for _ in 0..MAX_PAGES {
            let params = PaginatedRequestParams::default().with_cursor(cursor.clone());
            let page = match self.service.peer().list_tools(Some(params)).await {
                Ok(page) => page,
                Err(error) => return Err(self.failed(error).await),
            };
            for tool in &page.tools {
                let value = serde_json::to_value(tool).unwrap_or_default();
                let definition = Definition::of(&value);
                bytes += definition.fields().map(|(_, value)| value.to_string().len()).sum::<usize>();
                definitions.push(definition);
            }
            if definitions.len() > MAX_TOOLS {
                return Err(too_much(&format!("more than {MAX_TOOLS} tools")));
            }
            if bytes > MAX_BYTES {
                return Err(too_much(&format!("more than {} MiB", MAX_BYTES >> 20)));
            }
            match page.next_cursor {
                Some(next) if cursor.as_ref() != Some(&next) => cursor = Some(next),
                _ => {
                    let listing = (self.judge)(&self.server, definitions)?;
                    self.listing.store((Instant::now(), listing));
                    return Ok(());
                }
            }
        }
        Err(too_much("no end"))
    }

    /// Why a tool of this server may not be called now; `None` when it may.
    pub(crate) fn held(&self, tool: &str) -> Option<McpError> {
        let listing = &self.listing.load().1;
        match listing.held(tool) {
            Some(HoldReason::Missing) => Some(McpError::NoTool { server: self.id(), tool: shown(tool) }),
            Some(HoldReason::Because(reason)) => {
                Some(McpError::Held { server: self.id(), tool: shown(tool), reason: reason.clone() })
            }
            None => None,
        }
    }

    /// Makes a call; `client` is asked what the server wants to know of a person. Dropping the
    /// future tells the server to stop.
    pub(crate) async fn call(
        &self,
        tool: &str,
        params: JsonObject,
        after: Duration,
        client: Option<&Arc<dyn InputSource>>,
    ) -> Result<CallToolResult, McpError> {
        let asking = self.forms.as_ref().zip(client).map(|(forms, client)| forms.begin(Arc::clone(client)));
        let mut request = CallToolRequestParams::new(tool.to_owned()).with_arguments(params);
        for _ in 0..MAX_ROUNDS {
            let answer = self.answer(request.clone(), after, asking.as_ref()).await?;
            let CallToolResponse::InputRequired(wanted) = answer else { return self.result(answer) };
            let Some(asking) = &asking else {
                self.far.notes.asked("input");
                return Err(McpError::NotOffered { server: self.id(), wanted: "input" });
            };
            let answers = asking.answers(wanted.input_requests.unwrap_or_default()).await;
            request.input_responses = Some(answers.map_err(|error| McpError::Input { server: self.id(), error })?);
            request.request_state = wanted.request_state;
        }
        Err(McpError::Protocol { server: self.id(), problem: "it asks without end".to_owned() })
    }

    /// What the server answers to one request, without the time for which a person was asked.
    async fn answer(
        &self,
        request: CallToolRequestParams,
        after: Duration,
        asking: Option<&OpenCall>,
    ) -> Result<CallToolResponse, McpError> {
        let waited = || asking.map(OpenCall::waited).unwrap_or_default();
        let (begun, before) = (tokio::time::Instant::now(), waited());
        let until = || begun + after + waited().saturating_sub(before);
        let mut answer = pin!(self.service.peer().call_tool_once(request));
        loop {
            // While a person is asked, the end moves on.
            let look = until().max(tokio::time::Instant::now() + LOOKS_AFTER.min(after));
            tokio::select! {
                biased;
                answered = &mut answer => {
                    return match answered {
                        Ok(answer) => Ok(answer),
                        Err(error) => Err(self.failed(error).await),
                    };
                }
                () = sleep_until(look) => {
                    if until() <= tokio::time::Instant::now() {
                        return Err(McpError::Timeout { server: self.id(), after });
                    }
                }
            }
        }
    }

    fn result(&self, answer: CallToolResponse) -> Result<CallToolResult, McpError> {
        match answer {
            CallToolResponse::Complete(result) => Ok(result),
            CallToolResponse::Task(_) => {
                self.far.notes.asked("a task");
                Err(McpError::NotOffered { server: self.id(), wanted: "a task" })
            }
            _ => Err(McpError::Protocol { server: self.id(), problem: "its answer is of an unknown kind".to_owned() }),
        }
    }

    async fn failed(&self, error: ServiceError) -> McpError {
        let is_closed = self.is_closed();
        let gone = self.far.ending(is_closed).await;
        if is_closed {
            log_tail(&self.server, &self.far.tail);
        }
        McpError::of_service(self.server.id(), error, gone)
    }

    pub(crate) fn id(&self) -> String {
        self.server.id().to_owned()
    }

    /// Closes the server's input, or ends its session, and waits until it is gone.
    pub(crate) async fn stop(&self) {
        self.service.cancellation_token().cancel();
        self.far.stop().await;
    }
}

/// The far end of a connection: a process, or a server somewhere.
struct Far {
    child: Mutex<Option<Child>>,
    notes: Notes,
    tail: Tail,
    /// Cancelled when the last request over HTTP is over; `None` for a process.
    over: Option<CancellationToken>,
}

impl Far {
    /// Whether the connection was ended from this side, or cannot be used any more.
    fn is_over(&self) -> bool {
        // A process ends with its pipes; over HTTP nothing but this says so.
        self.over.is_some() && self.notes.fault().is_some()
    }

    /// Why the server is gone, where that is known.
    async fn ending(&self, is_closed: bool) -> Option<String> {
        match (self.notes.fault(), self.child.lock().await.as_mut()) {
            (Some(fault), _) => Some(fault),
            (None, Some(child)) if is_closed => child.ended().await.map(ending),
            _ => None,
        }
    }

    /// Why there was no greeting; `error` is what rmcp says.
    async fn greeting_failed(&self, server: &Server, error: &str) -> McpError {
        #[cfg(feature = "http")]
        if let Some(fault) = self.notes.http() {
            return fault.of(server.id());
        }
        let problem = self.ending(true).await.unwrap_or_else(|| shown(error));
        McpError::Handshake { server: server.id().to_owned(), problem }
    }

    async fn stop(&self) {
        let child = self.child.lock().await.take();
        if let Some(child) = child {
            child.stop().await;
        }
        if let Some(over) = &self.over {
            let _ = timeout(LEAVE, over.cancelled()).await;
        }
    }
}

fn log_tail(server: &Server, tail: &Tail) {
    let text = tail.text();
    if !text.is_empty() {
        tracing::warn!(server = server.id(), stderr = text, "an MCP server failed");
    }
}
