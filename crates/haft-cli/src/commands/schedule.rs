//! `haft schedule`: manages the scheduled tasks of a folder, for an operator.

use std::sync::Arc;

use haft::schedule;
use haft::tasks::{Schedule, ScheduledTask, Scheduler, TaskName};
use haft_serve::{AgentPrompts, UnattendedRunner};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::args::{CommonArgs, ScheduleVerb};
use crate::commands::call::interrupt;
use crate::commands::open::{load, open, workdir};
use crate::exit::Exit;
use crate::output::{self, with_causes};

/// Maximum number of run times to print.
const MAX_TIMES: usize = 1_000;

pub(crate) async fn run(common: &CommonArgs, verb: &ScheduleVerb) -> Result<Exit, String> {
    let scheduler = schedule(&load(common)?).map_err(|error| error.to_string())?;
    let scheduler = scheduler.ok_or("the scheduler is disabled: `scheduler.enabled` is false")?;
    let folder = workdir(common)?.to_string_lossy().into_owned();
    match verb {
        ScheduleVerb::List => list(common, &scheduler, &folder).await,
        ScheduleVerb::Next { name, times } => next(common, &scheduler, &folder, name, *times).await,
        ScheduleVerb::Run { name } => run_now(common, &scheduler, &folder, name).await,
        ScheduleVerb::Rm { names } => remove(common, &scheduler, &folder, names).await,
        ScheduleVerb::Serve => serve(common, &scheduler, &folder).await,
    }
}

fn name_of(text: &str) -> Result<TaskName, String> {
    TaskName::parse(text).map_err(|error| with_causes(&error))
}

async fn list(common: &CommonArgs, scheduler: &Scheduler, folder: &str) -> Result<Exit, String> {
    let tasks = scheduler.list(folder).await.map_err(|error| with_causes(&error))?;
    if common.json {
        let tasks: Vec<Value> = tasks.iter().map(structured).collect();
        output::json(&json!({ "tasks": tasks }));
        return Ok(Exit::Ok);
    }
    for task in &tasks {
        let next = task.next_run.map_or_else(|| "-".to_owned(), |next| next.to_string());
        let status = task.last_status.as_deref().unwrap_or("never ran");
        let what = output::one_line(&task.task.describe());
        output::line(&format!("{}  {next}  {}  {what}  [{}]", task.name, spec(task), output::one_line(status)));
    }
    if tasks.is_empty() && !common.quiet {
        output::note("haft: no tasks for this directory");
    }
    Ok(Exit::Ok)
}

fn spec(task: &ScheduledTask) -> String {
    match &task.schedule {
        Schedule::Periodic { line, zone } => format!("{} {}", line.as_str(), zone.iana_name().unwrap_or("UTC")),
        Schedule::Deferred { .. } => "once".to_owned(),
    }
}

fn structured(task: &ScheduledTask) -> Value {
    json!({
        "name": task.name,
        "spec": spec(task),
        "task": task.task,
        "created_by": task.created_by,
        "caller_id": task.caller_id,
        "policy_snapshot_hash": task.policy_snapshot_hash,
        "created_at": task.created_at.to_string(),
        "next_run": task.next_run.map(|time| time.to_string()),
        "last_run": task.last_run.map(|time| time.to_string()),
        "last_status": task.last_status,
        "runs": task.runs,
        "max_runs": task.max_runs,
        "expires_at": task.expires_at.map(|time| time.to_string()),
    })
}

async fn next(
    common: &CommonArgs,
    scheduler: &Scheduler,
    folder: &str,
    name: &str,
    times: usize,
) -> Result<Exit, String> {
    let task = match scheduler.get(folder, &name_of(name)?).await {
        Ok(task) => task,
        Err(error) => return Ok(output::failed(common, &with_causes(&error))),
    };
    let now = scheduler.now();
    let next: Vec<String> = match task.next_run {
        Some(_) => task.schedule.next(now, times.min(MAX_TIMES)).iter().map(ToString::to_string).collect(),
        None => vec![],
    };
    if common.json {
        output::json(&json!({ "name": task.name, "next": next }));
    } else {
        for time in &next {
            output::line(time);
        }
    }
    Ok(Exit::Ok)
}

async fn run_now(common: &CommonArgs, scheduler: &Scheduler, folder: &str, name: &str) -> Result<Exit, String> {
    let name = name_of(name)?;
    let dispatch = Arc::new(UnattendedRunner::new(open(common)?).with_prompts(Arc::new(AgentPrompts)));
    match scheduler.run_now(folder, &name, dispatch).await {
        Ok(Ok(said)) => {
            output::line(&output::one_line(&said));
            Ok(Exit::Ok)
        }
        Ok(Err(said)) => {
            output::note(&format!("haft: the task failed: {}", output::one_line(&said)));
            Ok(Exit::ToolFailed)
        }
        Err(error) => Ok(output::failed(common, &with_causes(&error))),
    }
}

async fn remove(common: &CommonArgs, scheduler: &Scheduler, folder: &str, names: &[String]) -> Result<Exit, String> {
    let mut exit = Exit::Ok;
    for name in names {
        match scheduler.cancel(folder, name_of(name)?).await {
            Ok(task) if !common.quiet => output::line(&format!("removed {}", task.name)),
            Ok(_) => {}
            Err(error) => exit = output::failed(common, &with_causes(&error)),
        }
    }
    Ok(exit)
}

async fn serve(common: &CommonArgs, scheduler: &Scheduler, folder: &str) -> Result<Exit, String> {
    let dispatch = Arc::new(UnattendedRunner::new(open(common)?).with_prompts(Arc::new(AgentPrompts)));
    let stop = CancellationToken::new();
    let interrupted = stop.clone();
    tokio::spawn(async move {
        interrupt().await;
        interrupted.cancel();
    });
    if !common.quiet {
        output::note("haft: running the tasks of this directory when they are due; Ctrl-C to stop");
    }
    scheduler.serve(folder, dispatch, &stop).await.map_err(|error| with_causes(&error))?;
    Ok(Exit::Ok)
}
