//! `cancel_task`: cancels a stored task.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tools_core::{CallContext, Inspection, Tool, ToolDef, ToolError, ToolKind, ToolOutput, ToolTraits};

use super::shared::{SchedulerTools, folder};
use crate::TaskName;

pub(super) struct CancelTask(pub(super) SchedulerTools);

/// Takes a scheduled task back: it does not run any more. A run that has begun goes on.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The name of the task.
    name: String,
}

impl Tool for CancelTask {
    type Args = Args;

    fn definition(&self) -> ToolDef {
        ToolDef::of::<Args>("cancel_task", ToolKind::Other, ToolTraits::EDIT).titled("Cancel task")
    }

    async fn inspect(&self, args: &Args, _: &CallContext) -> Result<Inspection, ToolError> {
        TaskName::parse(&args.name)?;
        Ok(Inspection::mutating())
    }

    async fn run(&self, args: Args, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        let name = TaskName::parse(&args.name)?;
        let task = self.0.scheduler.cancel(&folder(cx), name.clone()).await?;
        let (kind, spec, zone) = task.schedule.parts();
        let next = task.next_run.map(|next| next.to_string());
        let text = match &next {
            Some(next) => format!("cancelled `{name}`, which would have run at {next}"),
            None => format!("removed `{name}`, which had come to its end"),
        };
        let was =
            json!({ "kind": kind, "spec": spec, "timezone": zone, "task": task.task, "next": next, "runs": task.runs });
        Ok(ToolOutput::text(text).with_raw_response(json!({ "cancelled": name, "was": was })))
    }
}
