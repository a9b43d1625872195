//! Runs scheduled tasks without a person: each in its own session, behind all gates.

use std::sync::Arc;

use async_trait::async_trait;
use haft::Toolbox;
use haft::tasks::{Dispatch, DueTask, Task};
use tools_core::{BatchId, CallContext, CallPhase, CallerId, ConversationId, NobodyToAsk, SessionId, ToolCall};

/// Runs prompts of tasks: a model in its own session, whose calls go through `toolbox` with this
/// context and on behalf of `caller`.
#[async_trait]
pub trait PromptRunner: Send + Sync {
    /// Runs a prompt. The result is one line for the list of tasks.
    ///
    /// # Errors
    /// Why it failed, in one line.
    async fn run(&self, prompt: &str, toolbox: &Toolbox, cx: CallContext, caller: CallerId) -> Result<String, String>;
}

/// Runs scheduled tasks without a person. The policy in force when a task runs decides, and calls
/// that would need approval are refused.
pub struct UnattendedRunner {
    toolbox: Toolbox,
    prompts: Option<Arc<dyn PromptRunner>>,
}

tools_core::partial_debug!(UnattendedRunner { toolbox });

impl UnattendedRunner {
    /// Runs tasks through this toolbox.
    pub fn new(toolbox: Toolbox) -> Self {
        Self { toolbox, prompts: None }
    }

    /// Sets the runner of tasks that are prompts. Without it such tasks fail.
    #[must_use]
    pub fn with_prompts(self, prompts: Arc<dyn PromptRunner>) -> Self {
        Self { prompts: Some(prompts), ..self }
    }
}

#[async_trait]
impl Dispatch for UnattendedRunner {
    async fn run(&self, firing: DueTask) -> Result<String, String> {
        let caller = CallerId::parse(&firing.caller).map_err(|error| error.to_string())?;
        let session = SessionId::generate();
        let cx = self.toolbox.context().in_session(session.clone()).in_conversation(ConversationId::generate());
        let cx = cx.in_batch(BatchId::generate()).in_phase(CallPhase::Executor);
        let ended = match firing.task {
            Task::Call(task) => {
                let call = ToolCall::new(&task.tool, task.args.into()).map_err(|error| error.to_string())?;
                let recorded = self.toolbox.call(call.with_caller(caller), &cx, &NobodyToAsk).await;
                match recorded.outcome {
                    Ok(output) => Ok(first_line(&output.to_text())),
                    Err(error) => Err(format!("{}: {error}", error.code())),
                }
            }
            Task::Prompt(task) => match &self.prompts {
                Some(prompts) => prompts.run(&task.prompt, &self.toolbox, cx, caller).await,
                None => Err("no model is configured to run prompts".to_owned()),
            },
        };
        self.toolbox.end_jobs(&session).await;
        self.toolbox.end_session(&session);
        ended
    }
}

fn first_line(text: &str) -> String {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned()
}
