//! One connection to one server: started, initialized, its tools listed and compared with the
//! accepted ones. Calls use it until it ends.

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
use tools_sandbox::obeyed::ObeyedLook;

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

/// Maximum number of tools of one server.
const MAX_TOOLS: usize = 2_000;
/// Maximum number of bytes of all definitions of one server.
const MAX_BYTES: usize = 8 << 20;
/// Maximum number of pages of a list.
const MAX_PAGES: usize = 200;
/// Age after which a list is requested again before a call, even if the server reported no change.
const LIST_AGE: Duration = Duration::from_secs(30);

/// Maximum number of rounds of questions in one call.
const MAX_ROUNDS: usize = 10;
/// Interval at which a call that asks a person checks its time limit.
const LOOKS_AFTER: Duration = Duration::from_millis(50);

/// Time limit for ending a session over HTTP.
const LEAVE: Duration = Duration::from_secs(6);

/// Compares a list with the accepted definitions; called after each listing.
pub(crate) type Judge = Arc<dyn Fn(&Server, Vec<Definition>) -> Result<Listing, McpError> + Send + Sync>;

/// A connection. Dropping it kills the server at once; [`Connection::stop`] first gives it time to
/// exit.
pub(crate) struct Connection {
    server: Arc<Server>,
    service: RunningService<RoleClient, Handler>,
    far: RemoteEnd,
    judge: Judge,
    /// Receiver of the server's forms; `None` if it may send none.
    forms: Option<OpenCalls>,
    listing: Shared<(Instant, Listing)>,
    relisting: Mutex<()>,
    /// Checks what the server changes, if it may write.
    pub(crate) look: Option<ObeyedLook>,
    pub(crate) since: Instant,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Connection").field(&self.server.id()).finish()
    }
}

impl Connection {
    /// Starts a server and lists its tools.
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
        let far = RemoteEnd { child: Mutex::new(Some(child)), notes, tail, over: None };
        Ok(Self { look, ..Self::open(server, lines, far, judge, woken).await? })
    }

    /// Connects to a server at its address and lists its tools.
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
        let far = RemoteEnd { child: Mutex::default(), notes, tail: Tail::default(), over: Some(over) };
        Self::open(server, transport, far, judge, woken).await
    }

    /// Initializes a connection and lists its tools.
    async fn open<T>(
        server: Arc<Server>,
        transport: T,
        far: RemoteEnd,
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

    /// The server's last list, judged.
    pub(crate) fn listing(&self) -> Listing {
        self.listing.load().1.clone()
    }

    /// Name, version and protocol revision that the server reports.
    pub(crate) fn about(&self) -> Option<(String, String, String)> {
        let info = self.service.peer_info()?;
        let about = info.server_info.as_ref().map(|about| (shown(&about.name), shown(&about.version)));
        let (name, version) = about.unwrap_or_else(|| ("unnamed".to_owned(), String::new()));
        Some((name, version, info.protocol_version.to_string()))
    }

    /// Last lines that the server wrote to standard error.
    pub(crate) fn last_words(&self) -> String {
        self.far.tail.text()
    }

    /// Client features that the server requested without an offer, and the number of lines that
    /// were not messages.
    pub(crate) fn protocol_violations(&self) -> (Vec<&'static str>, usize) {
        (self.far.notes.all_asked(), self.far.notes.noise())
    }

    /// Lists the tools again if the server reported a change or the list is old.
    pub(crate) async fn refresh(&self) -> Result<(), McpError> {
        let _one = self.relisting.lock().await;
        let changed = self.service.service().take_changed();
        if changed || self.listing.load().0.elapsed() > LIST_AGE { self.list().await } else { Ok(()) }
    }

    /// Lists the tools and judges the list.
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

    /// Why a tool of this server may not be called now; `None` if it may.
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

    /// Makes a call; `client` answers what the server asks of a person. Dropping the future tells
    /// the server to stop.
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

    /// The server's answer to one request. Time spent asking a person does not count towards the
    /// time limit.
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
            // While a person is asked, the deadline moves on.
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

/// Remote end of a connection: a process, or an HTTP server.
struct RemoteEnd {
    child: Mutex<Option<Child>>,
    notes: Notes,
    tail: Tail,
    /// Cancelled when the last request over HTTP has finished; `None` for a process.
    over: Option<CancellationToken>,
}

impl RemoteEnd {
    /// Whether the connection was ended from this side, or cannot be used any more.
    fn is_over(&self) -> bool {
        // A process ends with its pipes; over HTTP only this tells.
        self.over.is_some() && self.notes.fault().is_some()
    }

    /// Why the server is gone, if known.
    async fn ending(&self, is_closed: bool) -> Option<String> {
        match (self.notes.fault(), self.child.lock().await.as_mut()) {
            (Some(fault), _) => Some(fault),
            (None, Some(child)) if is_closed => child.ended().await.map(ending),
            _ => None,
        }
    }

    /// Why the initialization failed; `error` is the error of rmcp.
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
