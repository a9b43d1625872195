//! Common parts of the tools: the scheduler, the folder, and the question before a task is stored.

use std::sync::Arc;

use jiff::Timestamp;
use tools_core::{
    CallContext, CallerId, ConfirmReason, ConversationId, Inspection, JsonObject, Redactor, SessionId, Shared,
    ToolCall, ToolName,
};

use super::prediction::{CallPrediction, CallPredictor};
use crate::{Schedule, ScheduleError, ScheduledTask, Scheduler, Task, TaskName};

/// Maximum number of characters of a prompt.
const MAX_PROMPT: usize = 16_000;
/// Maximum number of bytes of a call's parameters.
const MAX_ARGS: usize = 64 << 10;

/// The tools `schedule_periodic`, `schedule_deferred` and `cancel_task`.
#[derive(Clone)]
pub struct SchedulerTools {
    pub(super) scheduler: Scheduler,
    redactor: Arc<dyn Redactor>,
    policy: Option<Shared<String>>,
    predictor: Option<Arc<CallPredictor>>,
}

tools_core::partial_debug!(SchedulerTools { scheduler });

impl SchedulerTools {
    /// The tools over this scheduler. A task in which `redactor` finds a credential is not stored.
    pub fn new(scheduler: Scheduler, redactor: Arc<dyn Redactor>) -> Self {
        Self { scheduler, redactor, policy: None, predictor: None }
    }

    /// Refuses to store a call that can only fail, and warns of one that needs approval. Without
    /// this such a task fails when it is due.
    #[must_use]
    pub fn with_predictor(self, predictor: Arc<CallPredictor>) -> Self {
        Self { predictor: Some(predictor), ..self }
    }

    /// Stores the digest of the rules in force with each task.
    #[must_use]
    pub fn under(self, policy: Shared<String>) -> Self {
        Self { policy: Some(policy), ..self }
    }

    /// Checks whether a task may be stored. Returns a warning for the answer.
    pub(super) async fn check(
        &self,
        name: &TaskName,
        task: &Task,
        cx: &CallContext,
    ) -> Result<Option<String>, ScheduleError> {
        self.check_text(task)?;
        let caller = CallerId::parse(&ScheduledTask::caller_of(name, cx.caller()))
            .map_err(|error| ScheduleError::Parameter(format!("on whose behalf the task would run: {error}")))?;
        let (Task::Call(task), Some(predictor)) = (task, &self.predictor) else { return Ok(None) };
        let call = ToolCall::new(&task.tool, task.args.clone().into())
            .map_err(|error| ScheduleError::Parameter(format!("`task.args`: {error}")))?
            .with_caller(caller);
        // Approvals for this session do not apply to that of the task.
        let cx = cx.clone().in_session(SessionId::generate()).in_conversation(ConversationId::generate());
        match predictor.of(call, &cx).await {
            CallPrediction::Runs => Ok(None),
            CallPrediction::Asks(why) => Ok(Some(format!(
                "As the rules stand now, it will be refused when it is due: it needs a person, and nobody is present \
                 then ({why})."
            ))),
            CallPrediction::Fails(why) => {
                Err(ScheduleError::Parameter(format!("the call of the task cannot succeed: {why}")))
            }
        }
    }

    fn check_text(&self, task: &Task) -> Result<(), ScheduleError> {
        let wrong = |text: String| Err(ScheduleError::Parameter(text));
        let text = match task {
            Task::Prompt(task) if task.prompt.trim().is_empty() => return wrong("`task.prompt` is empty".to_owned()),
            Task::Prompt(task) if task.prompt.chars().count() > MAX_PROMPT => {
                return wrong(format!("`task.prompt` has more than {MAX_PROMPT} characters"));
            }
            Task::Prompt(task) => task.prompt.clone(),
            Task::Call(call) => {
                if ToolName::parse(&call.tool).is_err() {
                    return wrong(format!("`task.tool` is not a valid name of a tool: {:?}", call.tool));
                }
                args(&call.args)
            }
        };
        if text.len() > MAX_ARGS {
            return wrong(format!("`task.args` are longer than {MAX_ARGS} bytes"));
        }
        if self.redactor.redact(&text) != text {
            return wrong("the task holds a credential, and credentials are not stored".to_owned());
        }
        Ok(())
    }

    /// The question before a task is stored: it shows the computed times, not the text of the
    /// schedule.
    pub(super) fn asking(&self, name: &TaskName, task: &Task, times: &[Timestamp], more: &str) -> Inspection {
        let inspection = Inspection::mutating();
        if !self.scheduler.policy().confirm_create {
            return inspection;
        }
        let times: Vec<String> = times.iter().map(ToString::to_string).collect();
        let reason = format!(
            "stores the task `{name}`, which runs {} with nobody present, at {}{more}",
            task.describe(),
            times.join(", ")
        );
        inspection.confirming(ConfirmReason::new(reason, "scheduler.confirm_create"))
    }

    pub(super) fn task(&self, cx: &CallContext, name: TaskName, schedule: Schedule, task: Task) -> ScheduledTask {
        let by = cx.session().as_str().to_owned();
        let policy_snapshot_hash = self.policy.as_ref().map(|policy| policy.load().as_ref().clone());
        ScheduledTask {
            policy_snapshot_hash,
            caller_id: ScheduledTask::caller_of(&name, cx.caller()),
            ..ScheduledTask::new(folder(cx), name, schedule, task, by, self.scheduler.now())
        }
    }
}

fn args(args: &JsonObject) -> String {
    serde_json::to_string(args).unwrap_or_default()
}

/// The folder whose tasks a call sees.
pub(super) fn folder(cx: &CallContext) -> String {
    let workdir = cx.workdir();
    workdir.canonicalize().unwrap_or_else(|_| workdir.to_owned()).to_string_lossy().into_owned()
}

/// An answer, followed by the warning about the task.
pub(super) fn with_warning(answer: String, warning: Option<String>) -> String {
    match warning {
        Some(warning) => format!("{answer}\n{warning}"),
        None => answer,
    }
}
