//! `schedule_periodic`: a task that runs repeatedly.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tools_core::{CallContext, Inspection, Tool, ToolDef, ToolError, ToolKind, ToolOutput, ToolTraits};

use super::shared::{SchedulerTools, with_warning};
use crate::{CronLine, Schedule, ScheduleError, Task, TaskName, parse_when, parse_zone};

pub(super) struct SchedulePeriodic(pub(super) SchedulerTools);

/// Stores a task that runs again and again, by a cron line: one tool call, or a prompt for a model.
/// It runs in a session of its own with nobody present: what would ask a person is refused then.
/// The answer names the next times.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// Its name: `a-z`, `0-9`, `_`, `-`.
    name: String,
    /// Five fields (minute, hour, day of month, month, day of week) or six (second first): `30
    /// 8 * * mon-fri`.
    cron: String,
    /// Content of a task: `{"prompt": "…"}` or `{"tool": "…", "args": {…}}`.
    task: Task,
    /// The zone whose clocks count, as `Europe/Berlin`. Default UTC.
    timezone: Option<String>,
    /// After how many runs it ends. Default: never.
    max_runs: Option<u64>,
    /// When it ends: `2026-12-31T00:00:00Z`, or words as `next friday`. Default: never.
    expires_at: Option<String>,
    /// Whether it takes the place of a task of the same name. Default false.
    replace: Option<bool>,
}

struct Plan {
    name: TaskName,
    schedule: Schedule,
    expires_at: Option<Timestamp>,
    times: Vec<Timestamp>,
    /// Whether it runs again after these.
    goes_on: bool,
    /// A warning for the answer.
    warning: Option<String>,
}

impl SchedulePeriodic {
    async fn plan(&self, args: &Args, cx: &CallContext) -> Result<Plan, ScheduleError> {
        let scheduler = &self.0.scheduler;
        let name = TaskName::parse(&args.name)?;
        let warning = self.0.check(&name, &args.task, cx).await?;
        let zone = parse_zone(args.timezone.as_deref())?;
        if args.max_runs == Some(0) {
            return Err(ScheduleError::Parameter("`max_runs` is at least 1".to_owned()));
        }
        let now = scheduler.now();
        let expires_at = args.expires_at.as_deref().map(|text| parse_when(text, now, &zone)).transpose()?;
        if let Some(at) = expires_at.filter(|at| *at <= now) {
            return Err(ScheduleError::Past { at, now });
        }
        let schedule = Schedule::Periodic { line: Box::new(CronLine::parse(&args.cron)?), zone };
        let mut times = scheduler.plan(&schedule).await?;
        if expires_at.is_some_and(|at| times.first().is_some_and(|first| *first >= at)) {
            return Err(ScheduleError::Parameter("it would end before it runs for the first time".to_owned()));
        }
        let planned = times.len();
        times.retain(|time| expires_at.is_none_or(|end| *time < end));
        times.truncate(args.max_runs.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX)));
        let goes_on = times.len() == planned && args.max_runs.is_none_or(|most| most > planned as u64);
        Ok(Plan { name, schedule, expires_at, times, goes_on, warning })
    }
}

impl Tool for SchedulePeriodic {
    type Args = Args;

    fn definition(&self) -> ToolDef {
        ToolDef::of::<Args>("schedule_periodic", ToolKind::Other, ToolTraits::ADD).titled("Schedule task")
    }

    async fn inspect(&self, args: &Args, cx: &CallContext) -> Result<Inspection, ToolError> {
        let plan = self.plan(args, cx).await?;
        let more = if plan.goes_on { " and so on" } else { "" };
        Ok(self.0.asking(&plan.name, &args.task, &plan.times, more))
    }

    async fn run(&self, args: Args, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        let Plan { name, schedule, expires_at, times, goes_on: _, warning } = self.plan(&args, cx).await?;
        let cron = schedule.parts().1;
        let mut task = self.0.task(cx, name.clone(), schedule, args.task);
        task.next_run = times.first().copied();
        task.max_runs = args.max_runs;
        task.expires_at = expires_at;
        self.0.scheduler.put(task, args.replace.unwrap_or(false)).await?;
        let next: Vec<String> = times.iter().map(ToString::to_string).collect();
        let text = with_warning(format!("`{name}` runs next at {}", next.join(", ")), warning);
        let raw = json!({ "name": name, "cron_normalised": cron, "next": next });
        Ok(ToolOutput::text(text).with_raw_response(raw))
    }
}
