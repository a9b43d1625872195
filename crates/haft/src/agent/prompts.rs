//! Prompts of scheduled tasks: an agent with the configured model, in the session of the task, with
//! nobody to ask.

use std::sync::Arc;

use async_trait::async_trait;
use tools_agent::{CompressDesk, Stop, ToolHost};
use tools_core::{
    CallContext, CallerId, Confirmer, Invocation, NobodyToAsk, RecordedResult, ToolCall, ToolDef, ToolDefs, ToolError,
    ToolName,
};

use super::{agent_builder, agent_provider};
use crate::{PromptRunner, Toolbox};

/// Runs prompts of tasks with the model that agents use (`[[llm.providers]]`), within the limits of
/// `[agent]`.
#[derive(Debug, Clone, Copy, Default)]
pub struct AgentPrompts;

#[async_trait]
impl PromptRunner for AgentPrompts {
    async fn run(&self, prompt: &str, toolbox: &Toolbox, cx: CallContext, caller: CallerId) -> Result<String, String> {
        let provider = agent_provider(toolbox, "")?;
        let host = Arc::new(OnBehalf { toolbox: toolbox.clone(), cx, caller });
        let builder = agent_builder(toolbox, &provider, host, CompressDesk::default())?;
        let mut agent = builder.confirmer(Arc::new(NobodyToAsk)).build();
        let turn = agent.run(prompt).await;
        let said = turn.text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        match turn.stop {
            Stop::Done => Ok(said.to_owned()),
            stop => Err(stop.notice()),
        }
    }
}

/// A toolbox whose calls are made in one session and on behalf of one caller.
struct OnBehalf {
    toolbox: Toolbox,
    cx: CallContext,
    caller: CallerId,
}

#[async_trait]
impl ToolHost for OnBehalf {
    fn context(&self) -> CallContext {
        self.cx.clone()
    }

    fn offered(&self, cx: &CallContext, text: &str, used: &[ToolName]) -> ToolDefs {
        ToolHost::offered(&self.toolbox, cx, text, used)
    }

    fn definition(&self, tool: &ToolName) -> Arc<ToolDef> {
        ToolHost::definition(&self.toolbox, tool)
    }

    async fn inspect(&self, call: ToolCall, cx: &CallContext) -> Invocation {
        ToolHost::inspect(&self.toolbox, call, cx).await
    }

    async fn call(&self, call: ToolCall, cx: &CallContext, confirmer: &dyn Confirmer) -> RecordedResult {
        ToolHost::call(&self.toolbox, call.with_caller(self.caller.clone()), cx, confirmer).await
    }

    fn reserve(&self, cx: &CallContext, calls: u64) -> bool {
        ToolHost::reserve(&self.toolbox, cx, calls)
    }

    async fn refuse(&self, call: ToolCall, cx: &CallContext, error: ToolError) -> ToolError {
        ToolHost::refuse(&self.toolbox, call.with_caller(self.caller.clone()), cx, error).await
    }

    fn heard(&self, cx: &CallContext, text: &str) {
        ToolHost::heard(&self.toolbox, cx, text);
    }
}
