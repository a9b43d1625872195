//! A small stack, a server over it and a client to it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult,
    ElicitationAction, Implementation, ProgressNotificationParam,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient, RunningService};
use rmcp::{ClientHandler, ServiceExt};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tools_core::{
    CallContext, CompositeExecutor, ConfirmReason, DynExecutor, InputRequest, Inspection, OutputStream, Stack, Tool,
    ToolDef, ToolError, ToolErrorCategory, ToolKind, ToolOutput, ToolTraits, Typed,
};
use tools_mcp::{Builder, McpServer, ServeError};

/// What the tools of a test stack saw.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) started: Notify,
    pub(crate) dropped: AtomicBool,
    pub(crate) removed: AtomicUsize,
}

struct OnDrop(Arc<Seen>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.dropped.store(true, Ordering::SeqCst);
    }
}

/// Gives back its text.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EchoArgs {
    /// What to give back.
    text: String,
}
struct Echo;
impl Tool for Echo {
    type Args = EchoArgs;
    fn definition(&self) -> ToolDef {
        ToolDef::of::<EchoArgs>("echo", ToolKind::Other, ToolTraits::READ_ONLY).titled("Echo")
    }
    async fn inspect(&self, _: &EchoArgs, _: &CallContext) -> Result<Inspection, ToolError> {
        Ok(Inspection::read_only())
    }
    async fn run(&self, args: EchoArgs, _: &CallContext) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text(&args.text).with_raw_response(json!({"text": args.text})))
    }
}

/// Prints numbered lines.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LinesArgs {
    /// How many.
    limit: usize,
}
struct Lines;
impl Tool for Lines {
    type Args = LinesArgs;
    fn definition(&self) -> ToolDef {
        ToolDef::of::<LinesArgs>("lines", ToolKind::Read, ToolTraits::READ_ONLY)
    }
    async fn inspect(&self, _: &LinesArgs, _: &CallContext) -> Result<Inspection, ToolError> {
        Ok(Inspection::read_only())
    }
    async fn run(&self, args: LinesArgs, _: &CallContext) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text((0..args.limit).map(|n| format!("line {n:06}\n")).collect::<Vec<_>>().concat()))
    }
}

/// Takes no parameters.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoArgs {}

/// A tool without parameters that does one of a few things.
struct Simple {
    name: &'static str,
    seen: Arc<Seen>,
}
impl Tool for Simple {
    type Args = NoArgs;
    fn definition(&self) -> ToolDef {
        ToolDef::of::<NoArgs>(self.name, ToolKind::Other, ToolTraits::CAUTIOUS)
    }
    async fn inspect(&self, _: &NoArgs, _: &CallContext) -> Result<Inspection, ToolError> {
        Ok(Inspection::mutating())
    }
    async fn run(&self, _: NoArgs, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        match self.name {
            "hang" => {
                let _dropped = OnDrop(Arc::clone(&self.seen));
                self.seen.started.notify_one();
                std::future::pending().await
            }
            "stubborn" => {
                // Not cancelled by any token: only dropping ends it.
                cx.journal().warn_once("this tool is stubborn");
                Ok(ToolOutput::text("done"))
            }
            "count" => {
                for step in 0..12_u64 {
                    cx.events().progress(step / 2, Some(6), format!("step {step}"));
                    cx.events().output(OutputStream::Stdout, format!("line {step}\n"));
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
                Ok(ToolOutput::text("counted"))
            }
            "budget" => Ok(ToolOutput::text(cx.answer().bytes.to_string())),
            "where" => Ok(ToolOutput::text(cx.workdir().display().to_string())),
            _ => Err(ToolError::new(ToolErrorCategory::PermanentFailure, "broken", "it broke")
                .with_output(ToolOutput::text("as far as it came"))),
        }
    }
}

/// Removes something, once a person agreed.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RemoveArgs {
    /// What.
    path: String,
}
struct Remove(Arc<Seen>);
impl Tool for Remove {
    type Args = RemoveArgs;
    fn definition(&self) -> ToolDef {
        ToolDef::of::<RemoveArgs>("remove", ToolKind::Delete, ToolTraits::CAUTIOUS)
    }
    async fn inspect(&self, args: &RemoveArgs, _: &CallContext) -> Result<Inspection, ToolError> {
        let reason = ConfirmReason::new(format!("it removes `{}`", args.path), "tools.test");
        let path = tools_core::Subject::path(format!("/w/{}", args.path), tools_core::Access::Delete);
        Ok(Inspection::mutating().touching(path).confirming(reason))
    }
    async fn run(&self, args: RemoveArgs, _: &CallContext) -> Result<ToolOutput, ToolError> {
        self.0.removed.fetch_add(1, Ordering::SeqCst);
        Ok(ToolOutput::text(format!("removed {}", args.path)))
    }
}

/// Asks a name, then a model about it, and does both once.
struct Survey(Arc<Seen>);
impl Tool for Survey {
    type Args = NoArgs;
    fn definition(&self) -> ToolDef {
        ToolDef::of::<NoArgs>("survey", ToolKind::Other, ToolTraits::READ_ONLY)
    }
    async fn inspect(&self, _: &NoArgs, _: &CallContext) -> Result<Inspection, ToolError> {
        Ok(Inspection::read_only())
    }
    async fn run(&self, _: NoArgs, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
        let form = InputRequest::Form { message: "Who?".to_owned(), schema };
        let name = cx.input([("name".to_owned(), form)].into()).await?;
        let prompt = format!("Greet {:?}.", name["name"]);
        let greeting = InputRequest::Completion { prompt, max_tokens: 10 };
        let greeting = cx.input([("greeting".to_owned(), greeting)].into()).await?;
        self.0.removed.fetch_add(1, Ordering::SeqCst);
        Ok(ToolOutput::text(format!("{:?} {:?}", name["name"], greeting["greeting"])))
    }
}

/// A server, not yet built.
pub(crate) fn builder(seen: &Arc<Seen>) -> Builder {
    let simple = |name| DynExecutor::new(Typed::new(Simple { name, seen: Arc::clone(seen) }));
    let executor = CompositeExecutor::new([
        DynExecutor::new(Typed::new(Echo)),
        DynExecutor::new(Typed::new(Lines)),
        DynExecutor::new(Typed::new(Remove(Arc::clone(seen)))),
        DynExecutor::new(Typed::new(Survey(Arc::clone(seen)))),
        simple("hang"),
        simple("stubborn"),
        simple("count"),
        simple("where"),
        simple("fail"),
        simple("budget"),
    ]);
    McpServer::builder(Arc::new(Stack::new(vec![], executor))).context(CallContext::new("/w"))
}

/// How a client answers questions.
#[derive(Clone)]
pub(crate) enum Person {
    /// It declares that it cannot ask.
    None,
    Accepts(Value),
    Declines,
    Dismisses,
    NeverAnswers,
    /// It answers the first question after a while, and no other.
    AnswersAfter(Duration, Value),
}

/// A client that records what it is told.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) name: &'static str,
    pub(crate) person: Person,
    pub(crate) roots: Option<Vec<String>>,
    pub(crate) questions: Arc<Mutex<Vec<ElicitRequestParams>>>,
    pub(crate) progress: Arc<Mutex<Vec<(tokio::time::Instant, ProgressNotificationParam)>>>,
    pub(crate) list_changed: Arc<Notify>,
    /// How often it was asked for its roots. It answers as long as nobody else holds the number.
    pub(crate) roots_asked: Arc<tokio::sync::Mutex<usize>>,
}

impl Client {
    pub(crate) fn new(person: Person) -> Self {
        Self {
            name: "test-client",
            person,
            roots: None,
            questions: Arc::default(),
            progress: Arc::default(),
            list_changed: Arc::default(),
            roots_asked: Arc::default(),
        }
    }
}

#[expect(deprecated, reason = "clients of the handshake versions have roots")]
impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        if !matches!(self.person, Person::None) {
            capabilities.elicitation = Some(rmcp::model::ElicitationCapability::default());
        }
        if self.roots.is_some() {
            capabilities.roots = Some(rmcp::model::RootsCapabilities::default());
        }
        ClientConfig::new(capabilities, Implementation::new(self.name, "1"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, rmcp::ErrorData> {
        self.questions.lock().unwrap().push(request);
        match &self.person {
            Person::Accepts(content) => Ok(ElicitResult::new(ElicitationAction::Accept).with_content(content.clone())),
            Person::Declines => Ok(ElicitResult::new(ElicitationAction::Decline)),
            Person::Dismisses => Ok(ElicitResult::new(ElicitationAction::Cancel)),
            Person::AnswersAfter(while_, content) if self.questions.lock().unwrap().len() == 1 => {
                tokio::time::sleep(*while_).await;
                Ok(ElicitResult::new(ElicitationAction::Accept).with_content(content.clone()))
            }
            Person::None | Person::NeverAnswers | Person::AnswersAfter(..) => std::future::pending().await,
        }
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<rmcp::model::ListRootsResult, rmcp::ErrorData> {
        *self.roots_asked.lock().await += 1;
        let roots = self.roots.iter().flatten().map(rmcp::model::Root::new).collect();
        Ok(rmcp::model::ListRootsResult::new(roots))
    }

    async fn on_progress(&self, parameters: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.progress.lock().unwrap().push((tokio::time::Instant::now(), parameters));
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.list_changed.notify_one();
    }
}

pub(crate) type Running = RunningService<RoleClient, Client>;

/// Starts `server` and connects `client` to it.
pub(crate) async fn connect(server: McpServer, client: Client) -> (Running, JoinHandle<Result<(), ServeError>>) {
    let (near, far) = tokio::io::duplex(64 << 10);
    let (read, write) = tokio::io::split(far);
    let serving = tokio::spawn(async move { server.serve(read, write).await });
    let running = client.serve(near).await.expect("the handshake succeeds");
    (running, serving)
}

pub(crate) async fn call(client: &Running, tool: &str, arguments: Value) -> CallToolResult {
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    let parameters = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
    client.call_tool(parameters).await.expect("a call is answered")
}

pub(crate) fn text(result: &CallToolResult) -> String {
    let texts = result.content.iter().filter_map(|block| block.as_text());
    texts.map(|block| block.text.as_str()).collect()
}

/// A value of a result's `_meta`.
pub(crate) fn meta(result: &CallToolResult, key: &str) -> Value {
    result.meta.as_ref().and_then(|meta| meta.get(key)).cloned().unwrap_or_default()
}

/// A connection on which a test writes lines itself.
pub(crate) struct Raw {
    pub(crate) write: tokio::io::WriteHalf<DuplexStream>,
    pub(crate) read: tokio::io::Lines<BufReader<tokio::io::ReadHalf<DuplexStream>>>,
    pub(crate) serving: JoinHandle<Result<(), ServeError>>,
}

impl Raw {
    pub(crate) fn connect(server: McpServer) -> Self {
        let (near, far) = tokio::io::duplex(64 << 10);
        let (read, write) = tokio::io::split(far);
        let serving = tokio::spawn(async move { server.serve(read, write).await });
        let (read, write) = tokio::io::split(near);
        Self { write, read: BufReader::new(read).lines(), serving }
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        self.write.write_all(bytes).await.unwrap();
        self.write.write_all(b"\n").await.unwrap();
    }

    pub(crate) async fn receive(&mut self) -> Value {
        let line = self.read.next_line().await.unwrap().expect("the server still answers");
        serde_json::from_str(&line).expect("nothing but JSON is written")
    }

    pub(crate) async fn ask(&mut self, request: Value) -> Value {
        self.send(request.to_string().as_bytes()).await;
        self.receive().await
    }

    pub(crate) async fn initialize(&mut self, version: &str) -> Value {
        let parameters = json!({
            "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"},
        });
        let answer = self.ask(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": parameters})).await;
        self.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        answer
    }
}
