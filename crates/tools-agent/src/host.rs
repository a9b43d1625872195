//! Interface to the host that makes the calls of an agent: a stack of layers, or a toolbox.

use std::sync::Arc;

use async_trait::async_trait;
use tools_core::{
    CallContext, CallerId, Confirmer, EarlyRun, Invocation, RecordedResult, Stack, ToolCall, ToolDef, ToolDefs,
    ToolError, ToolName,
};

/// Makes calls through all gates. Called by the loop of [`crate::Agent`]; implemented by a toolbox,
/// and by [`StackHost`] for programs that build a [`Stack`] themselves.
#[async_trait]
pub trait ToolHost: Send + Sync {
    /// The initial context of every call.
    fn context(&self) -> CallContext;

    /// The tools to show in a turn about `text`; `used` are tools that it has already called.
    fn offered(&self, cx: &CallContext, text: &str, used: &[ToolName]) -> ToolDefs;

    /// The definition of a tool; a cautious one for an unknown tool.
    fn definition(&self, tool: &ToolName) -> Arc<ToolDef>;

    /// What a call would touch, without running it.
    async fn inspect(&self, call: ToolCall, cx: &CallContext) -> Invocation;

    /// Makes a call. If it needs approval, `confirmer` asks a person.
    async fn call(&self, call: ToolCall, cx: &CallContext, confirmer: &dyn Confirmer) -> RecordedResult;

    /// Starts a call before the answer that requests it is complete; `None` if it must wait,
    /// because it may change something or the gates would ask.
    ///
    /// Only a call that is then made in a context with the run gets its result
    /// ([`CallContext::started_early`]).
    /// ([`CallContext::started_early`]).
    async fn start_early(&self, call: ToolCall, cx: &CallContext) -> Option<EarlyRun> {
        let _ = (call, cx);
        None
    }

    /// Reserves quota for a whole batch, the one of `cx`; `false` if it exceeds the quota. Then the
    /// gates refuse every call of it. Without a quota it always succeeds.
    fn reserve(&self, cx: &CallContext, calls: u64) -> bool {
        let _ = (cx, calls);
        true
    }

    /// Records that a call is not made, and why, if there is a record. The returned error is for
    /// the model.
    async fn refuse(&self, call: ToolCall, cx: &CallContext, error: ToolError) -> ToolError {
        let _ = (call, cx);
        error
    }

    /// Receives what the user wrote, for gates that check where the names in a call come from.
    fn heard(&self, cx: &CallContext, text: &str) {
        let _ = (cx, text);
    }
}

/// A [`Stack`] as a host: without quota, and with no record except its layers.
#[derive(Debug, Clone)]
pub struct StackHost {
    stack: Arc<Stack>,
    context: CallContext,
}

impl StackHost {
    /// Sends calls to `stack`, in `context`.
    pub fn new(stack: Arc<Stack>, context: CallContext) -> Self {
        Self { stack, context }
    }
}

#[async_trait]
impl ToolHost for StackHost {
    fn context(&self) -> CallContext {
        self.context.clone()
    }

    fn offered(&self, _: &CallContext, _: &str, _: &[ToolName]) -> ToolDefs {
        self.stack.listed()
    }

    fn definition(&self, tool: &ToolName) -> Arc<ToolDef> {
        self.stack.definition_or_unknown(tool)
    }

    async fn inspect(&self, call: ToolCall, cx: &CallContext) -> Invocation {
        self.stack.inspect(call, cx).await
    }

    async fn call(&self, call: ToolCall, cx: &CallContext, confirmer: &dyn Confirmer) -> RecordedResult {
        self.stack.ask(call, cx, confirmer, None).await
    }
}

/// A host whose calls are made in one context and on behalf of one caller. None of them starts
/// early.
pub struct DelegatedHost {
    host: Arc<dyn ToolHost>,
    context: CallContext,
    caller: CallerId,
}

impl DelegatedHost {
    /// Sends calls to `host`, in `context` and on behalf of `caller`.
    pub fn new(host: Arc<dyn ToolHost>, context: CallContext, caller: CallerId) -> Self {
        Self { host, context, caller }
    }
}

#[async_trait]
impl ToolHost for DelegatedHost {
    fn context(&self) -> CallContext {
        self.context.clone()
    }

    fn offered(&self, cx: &CallContext, text: &str, used: &[ToolName]) -> ToolDefs {
        self.host.offered(cx, text, used)
    }

    fn definition(&self, tool: &ToolName) -> Arc<ToolDef> {
        self.host.definition(tool)
    }

    async fn inspect(&self, call: ToolCall, cx: &CallContext) -> Invocation {
        self.host.inspect(call, cx).await
    }

    async fn call(&self, call: ToolCall, cx: &CallContext, confirmer: &dyn Confirmer) -> RecordedResult {
        self.host.call(call.with_caller(self.caller.clone()), cx, confirmer).await
    }

    fn reserve(&self, cx: &CallContext, calls: u64) -> bool {
        self.host.reserve(cx, calls)
    }

    async fn refuse(&self, call: ToolCall, cx: &CallContext, error: ToolError) -> ToolError {
        self.host.refuse(call.with_caller(self.caller.clone()), cx, error).await
    }

    fn heard(&self, cx: &CallContext, text: &str) {
        self.host.heard(cx, text);
    }
}
