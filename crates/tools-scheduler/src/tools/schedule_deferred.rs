//! `schedule_deferred`: a task that runs once.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tools_core::{CallContext, Inspection, Tool, ToolDef, ToolError, ToolKind, ToolOutput, ToolTraits};

use super::shared::{SchedulerTools, with_warning};
use crate::{Schedule, ScheduleError, Task, TaskName, parse_when, parse_zone};

pub(super) struct ScheduleDeferred(pub(super) SchedulerTools);

/// Stores a task that runs once at a later time: one tool call, or a prompt for a model. It runs in
/// a session of its own with nobody present: what would ask a person is refused then. The answer
/// names the time as it was understood.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// Its name: `a-z`, `0-9`, `_`, `-`.
    name: String,
    /// When: ISO 8601 with `Z` or an offset (`2026-11-24T08:00:00+01:00`), or words (`tomorrow
    /// 8pm`, `in 2 hours`).
    run_at: String,
    /// Content of a task: `{"prompt": "…"}` or `{"tool": "…", "args": {…}}`.
    task: Task,
    /// The zone whose clocks count for words, as `Europe/Berlin`. Default UTC.
    timezone: Option<String>,
    /// Whether it takes the place of a task of the same name. Default false.
    replace: Option<bool>,
}

impl ScheduleDeferred {
    /// Its name and time, and warnings about it.
    async fn plan(
        &self,
        args: &Args,
        cx: &CallContext,
    ) -> Result<(TaskName, Timestamp, Option<String>), ScheduleError> {
        let name = TaskName::parse(&args.name)?;
        let warning = self.0.check(&name, &args.task, cx).await?;
        let zone = parse_zone(args.timezone.as_deref())?;
        let at = parse_when(&args.run_at, self.0.scheduler.now(), &zone)?;
        self.0.scheduler.plan(&Schedule::Deferred { at }).await?;
        Ok((name, at, warning))
    }
}

impl Tool for ScheduleDeferred {
    type Args = Args;

    fn definition(&self) -> ToolDef {
        ToolDef::of::<Args>("schedule_deferred", ToolKind::Other, ToolTraits::ADD).titled("Schedule task once")
    }

    async fn inspect(&self, args: &Args, cx: &CallContext) -> Result<Inspection, ToolError> {
        let (name, at, _) = self.plan(args, cx).await?;
        Ok(self.0.asking(&name, &args.task, &[at], ""))
    }

    async fn run(&self, args: Args, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        let (name, at, warning) = self.plan(&args, cx).await?;
        let mut task = self.0.task(cx, name.clone(), Schedule::Deferred { at }, args.task);
        task.next_run = Some(at);
        task.max_runs = Some(1);
        let in_seconds = at.duration_since(task.created_at).as_secs();
        self.0.scheduler.put(task, args.replace.unwrap_or(false)).await?;
        let text = with_warning(format!("`{name}` runs at {at}, in {in_seconds} seconds"), warning);
        let raw = json!({ "name": name, "run_at": at.to_string(), "in_seconds": in_seconds });
        Ok(ToolOutput::text(text).with_raw_response(raw))
    }
}
