//! State from outside the record: running calls and jobs, scheduled tasks of the folder, and hosts.

use haft::core::{Clock as _, SystemClock};
use haft::questions::activities;
use haft::tasks::Scheduler;
use serde_json::{Value, json};

use crate::args::CommonArgs;
use crate::commands::setup::{State, found};

/// Running calls and jobs, the oldest first. A call appears once it has run half a second.
pub(super) fn running() -> Vec<Value> {
    let now = u64::try_from(SystemClock.now().as_millisecond()).unwrap_or_default();
    let rows = activities(&haft::config::places::watch_dir()).into_iter().map(|row| {
        json!({
            "process": row.process,
            "caller": row.caller,
            "session": row.session,
            "workdir": row.workdir,
            "tool": row.tool,
            "job": row.job,
            "about": row.title,
            "seconds": now.saturating_sub(row.since_ms) / 1000,
        })
    });
    rows.collect()
}

/// Tasks of a folder; empty if they cannot be read.
pub(super) async fn tasks(scheduler: Option<&Scheduler>, folder: &str) -> Vec<Value> {
    let Some(scheduler) = scheduler else { return vec![] };
    let tasks = scheduler.list(folder).await.unwrap_or_default();
    let told = tasks.iter().map(|task| {
        json!({
            "name": task.name,
            "what": task.task.describe(),
            "next": task.next_run.map(|time| time.to_string()),
            "last_status": task.last_status,
            "runs": task.runs,
        })
    });
    told.collect()
}

/// Installed hosts, and whether they are set up.
pub(super) fn hosts(common: &CommonArgs) -> Vec<Value> {
    let hosts = found(common).unwrap_or_default().into_iter().filter(|host| host.is_there || host.state == State::Done);
    let told = hosts.map(|host| {
        let state = match &host.state {
            State::Done => "set up".to_owned(),
            State::NotDone => format!("not set up: haft setup {}", host.host),
            State::Blocked(problem) => format!("by hand: {problem}"),
        };
        json!({"host": host.host.title(), "state": state})
    });
    told.collect()
}
