//! Who makes the calls of an agent: a stack of layers, or whatever stands around one.

use std::sync::Arc;

use async_trait::async_trait;
use tools_core::{
    CallContext, CallerId, Confirmer, EarlyRun, Invocation, RecordedResult, Stack, ToolCall, ToolDef, ToolDefs,
    ToolError, ToolName,
};

/// Makes calls through all gates. Called by the loop of [`crate::Agent`]; implemented by a toolbox,
/// and by [`StackHost`] for programs that put a [`Stack`] together themselves.
#[async_trait]
pub trait ToolHost: Send + Sync {
    /// The context that every call starts from.
    fn context(&self) -> CallContext;

    /// The tools that a turn shows which is about `text`; `used` are tools that it has called
    /// already.
    fn offered(&self, cx: &CallContext, text: &str, used: &[ToolName]) -> ToolDefs;

    /// The definition of a tool; a cautious one when nobody owns it.
    fn definition(&self, tool: &ToolName) -> Arc<ToolDef>;

    /// What a call would touch, without running it.
    async fn inspect(&self, call: ToolCall, cx: &CallContext) -> Invocation;

    /// Makes a call. Where a person has to agree, `confirmer` asks one.
    async fn call(&self, call: ToolCall, cx: &CallContext, confirmer: &dyn Confirmer) -> RecordedResult;

    /// Starts a call before the answer that asks for it is complete; `None` where it must wait for
    /// that: it may change something, or gates would not let it run without a question.
    ///
    /// Only a call that is then made in a context with the run gets its result
    /// ([`CallContext::started_early`]).
    async fn start_early(&self, call: ToolCall, cx: &CallContext) -> Option<EarlyRun> {
        let _ = (call, cx);
        None
    }

    /// Reserves the quota for a whole batch, the one of `cx`; `false` when it does not fit. Then
    /// the gates refuse every call of it. Without a quota everything fits.
    fn reserve(&self, cx: &CallContext, calls: u64) -> bool {
        let _ = (cx, calls);
        true
    }

    /// Puts on record that a call is not made, and why, where there is a record. The error is what
    /// the model is told.
    async fn refuse(&self, call: ToolCall, cx: &CallContext, error: ToolError) -> ToolError {
        let _ = (call, cx);
        error
    }

    /// Hears what the user wrote: for gates that ask where a call has its names from.
    fn heard(&self, cx: &CallContext, text: &str) {
        let _ = (cx, text);
    }
}

/// A [`Stack`] as a host: without quota and without a record beyond its layers.
#[derive(Debug, Clone)]
pub struct StackHost {
    stack: Arc<Stack>,
    context: CallContext,
}

impl StackHost {
    /// Calls go to `stack`, in `context`.
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
pub struct OnBehalf {
    host: Arc<dyn ToolHost>,
    context: CallContext,
    caller: CallerId,
}

impl OnBehalf {
    /// The calls go to `host`, in `context` and as those of `caller`.
    pub fn new(host: Arc<dyn ToolHost>, context: CallContext, caller: CallerId) -> Self {
        Self { host, context, caller }
    }
}

#[async_trait]
impl ToolHost for OnBehalf {
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
