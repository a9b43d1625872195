//! A model that answers what a test says, and a host that remembers.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::{Value, json};
use tools_agent::{StackHost, ToolHost};
use tools_core::{
    CallContext, Confirmer, EarlyRun, Invocation, RecordedResult, Stack, ToolCall, ToolDef, ToolDefs, ToolError,
    ToolExecutor, ToolName, ToolTraits,
};
use tools_providers::{
    BadArguments, Block, Delta, Message, ModelInfo, Provider, ProviderError, ProviderFault, Reply, Request, Role, Sink,
    StopReason, ToolUse, Usage,
};
use tools_testkit::{Behaviour, ScriptedExecutor};

/// What a model says.
pub(crate) type Said = Result<Reply, ProviderError>;

/// Makes answers from requests.
type Answering = dyn FnMut(&Request<'_>) -> Said + Send;

pub(crate) struct Model {
    info: ModelInfo,
    answering: Mutex<Box<Answering>>,
}

impl Model {
    /// A model that answers by a function.
    pub(crate) fn answering(answering: impl FnMut(&Request<'_>) -> Said + Send + 'static) -> Self {
        let info = ModelInfo {
            id: "model".to_owned(),
            context_tokens: 1_000_000,
            max_output_tokens: 1000,
            supports_tool_use: true,
            cache_minimum: None,
            prices: None,
        };
        Self { info, answering: Mutex::new(Box::new(answering)) }
    }

    /// A model that says these things one after the other, and then that it is done.
    pub(crate) fn saying(all: impl IntoIterator<Item = Said>) -> Self {
        let mut all: VecDeque<Said> = all.into_iter().collect();
        Self::answering(move |_| all.pop_front().unwrap_or_else(|| text("done")))
    }

    pub(crate) fn with(self, change: impl FnOnce(&mut ModelInfo)) -> Self {
        let mut info = self.info;
        change(&mut info);
        Self { info, ..self }
    }
}

#[async_trait]
impl Provider for Model {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn model(&self) -> &ModelInfo {
        &self.info
    }

    async fn complete(&self, request: &Request<'_>, _: &dyn Sink) -> Said {
        tokio::task::yield_now().await;
        self.answering.lock().unwrap()(request)
    }
}

/// Writes an answer in small pieces, and takes its time after each.
pub(crate) async fn write(reply: &Reply, sink: &dyn Sink) {
    let mut calls = 0;
    for block in &reply.message.blocks {
        let Block::ToolUse(call) = block else { continue };
        sink.take(Delta::CallStart { index: calls, name: &call.name });
        let written = call.input.as_ref().map_or_else(|bad| bad.text.clone(), |params| json!(params).to_string());
        for piece in written.chars().collect::<Vec<_>>().chunks(3) {
            let text: String = piece.iter().collect();
            sink.take(Delta::CallArguments { index: calls, text: &text });
        }
        calls += 1;
        for _ in 0..5 {
            tokio::task::yield_now().await;
        }
    }
}

pub(crate) fn text(text: &str) -> Said {
    said(vec![Block::Text(text.to_owned())])
}

#[expect(clippy::unnecessary_wraps, reason = "what a model says may be a failure")]
pub(crate) fn said(blocks: Vec<Block>) -> Said {
    let usage = Usage::default();
    Ok(Reply { message: Message { role: Role::Assistant, blocks }, usage, stop: StopReason::EndTurn })
}

pub(crate) fn call(id: &str, tool: &str, params: Value) -> Block {
    let input = match params {
        Value::Object(params) => Ok(params),
        other => Err(BadArguments { text: other.to_string(), problem: "no object".to_owned(), at: None }),
    };
    Block::ToolUse(ToolUse { id: id.to_owned(), name: tool.to_owned(), input })
}

pub(crate) fn fault(fault: ProviderFault) -> Said {
    Err(ProviderError::new("scripted", fault, "it broke"))
}

/// A host over a stack, which remembers what was put on record as refused.
#[derive(Clone)]
pub(crate) struct Host {
    inner: StackHost,
    stack: Arc<Stack>,
    pub(crate) refused: Arc<Mutex<Vec<(String, &'static str)>>>,
    pub(crate) quota: Arc<Mutex<Option<u64>>>,
}

impl Host {
    pub(crate) fn new(executor: impl ToolExecutor + 'static) -> Self {
        Self::over(Stack::new(vec![], executor))
    }

    pub(crate) fn over(stack: Stack) -> Self {
        let stack = Arc::new(stack);
        let inner = StackHost::new(Arc::clone(&stack), CallContext::new("/"));
        Self { inner, stack, refused: Arc::default(), quota: Arc::default() }
    }
}

#[async_trait]
impl ToolHost for Host {
    fn context(&self) -> CallContext {
        self.inner.context()
    }

    fn offered(&self, cx: &CallContext, text: &str, used: &[ToolName]) -> ToolDefs {
        self.inner.offered(cx, text, used)
    }

    fn definition(&self, tool: &ToolName) -> Arc<ToolDef> {
        self.inner.definition(tool)
    }

    async fn inspect(&self, call: ToolCall, cx: &CallContext) -> Invocation {
        self.inner.inspect(call, cx).await
    }

    async fn call(&self, call: ToolCall, cx: &CallContext, confirmer: &dyn Confirmer) -> RecordedResult {
        self.inner.call(call, cx, confirmer).await
    }

    async fn start_early(&self, call: ToolCall, cx: &CallContext) -> Option<EarlyRun> {
        self.stack.start_early(&self.inner.inspect(call, cx).await)
    }

    fn reserve(&self, _: &CallContext, calls: u64) -> bool {
        let mut quota = self.quota.lock().unwrap();
        match quota.as_mut() {
            Some(left) if *left < calls => false,
            Some(left) => {
                *left -= calls;
                true
            }
            None => true,
        }
    }

    async fn refuse(&self, call: ToolCall, _: &CallContext, error: ToolError) -> ToolError {
        self.refused.lock().unwrap().push((call.id.to_string(), error.code()));
        error
    }
}

/// Tools that only read, each answering with its own text.
pub(crate) fn tools() -> ScriptedExecutor {
    ScriptedExecutor::new()
        .tool("read", ToolTraits::READ_ONLY, Behaviour::reply("content of a file"))
        .tool("list", ToolTraits::READ_ONLY, Behaviour::reply("a list"))
        .tool("write", ToolTraits::EDIT, Behaviour::reply("written"))
        .tool("panic", ToolTraits::READ_ONLY, Behaviour::Panic)
}
