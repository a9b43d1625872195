//! Runs prompts of scheduled tasks: an agent with the configured model, in the task's session, with
//! nobody to ask.

use std::sync::Arc;

use async_trait::async_trait;
use haft::Toolbox;
use haft::agents::{CompressDesk, DelegatedHost, Stop};
use tools_core::{CallContext, CallerId, NobodyToAsk};

use crate::{PromptRunner, agent_builder, agent_provider};

/// Runs prompts of tasks with the model that agents use (`[[llm.providers]]`), within the limits of
/// `[agent]`.
#[derive(Debug, Clone, Copy, Default)]
pub struct AgentPrompts;

#[async_trait]
impl PromptRunner for AgentPrompts {
    async fn run(&self, prompt: &str, toolbox: &Toolbox, cx: CallContext, caller: CallerId) -> Result<String, String> {
        let provider = agent_provider(toolbox, "")?;
        let host = Arc::new(DelegatedHost::new(Arc::new(toolbox.clone()), cx, caller));
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
