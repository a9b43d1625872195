//! Runs and prints the checks of `haft doctor`.

use std::time::Duration;

use haft::{config::places::watch_dir, questions::Watchers};
use serde_json::{Value, json};

use super::{databases::databases, findings::Doctor};
use crate::args::{CommonArgs, Offer};
use crate::commands::open::{open, open_to_serve};
use crate::commands::setup::{HostState, State, found};
use crate::exit::Exit;
use crate::output;

/// Runs the checks and prints them.
pub(crate) async fn run(common: &CommonArgs) -> Result<Exit, String> {
    let toolbox = open(common)?;
    let mut report = Doctor::examine(&toolbox);
    report.findings.extend(databases(toolbox.config()).await);
    let hosts = found(common).unwrap_or_default();
    let served = served(common);
    let watching = Watchers::of_process(watch_dir(), Duration::ZERO, false).count().await;
    if common.json {
        let mut value = serde_json::to_value(&report).map_err(|error| error.to_string())?;
        value["hosts"] = hosts.iter().filter(|host| host.is_there).map(|host| as_json(host, &served)).collect();
        value["watching"] = watching.into();
        output::json(&value);
    } else {
        for line in report.lines() {
            output::line(&line);
        }
        let there: Vec<String> = hosts.iter().filter(|host| host.is_there).map(|host| line(host, &served)).collect();
        if !there.is_empty() {
            output::line("hosts:");
            for line in &there {
                output::line(line);
            }
        }
        let answered = match watching {
            0 => "nobody; run `haft approvals watch` in a terminal to answer them".to_owned(),
            1 => "1 `haft approvals watch`".to_owned(),
            more => format!("{more} `haft approvals watch`"),
        };
        output::line(&format!("questions of clients that cannot ask are answered by: {answered}"));
    }
    Ok(if report.is_usable() { Exit::Ok } else { Exit::ToolFailed })
}

/// Number of tools that a server started as `haft setup` configures it would list, or why it would
/// not start.
fn served(common: &CommonArgs) -> Result<usize, String> {
    let offer = Offer { profile: Some("core".to_owned()), ..Offer::default() };
    open_to_serve(common, &offer, None, None).map(|toolbox| toolbox.offered().len())
}

fn line(found: &HostState, served: &Result<usize, String>) -> String {
    let asks = match found.host.asks() {
        Some(true) => "asks a person",
        Some(false) => {
            "cannot ask a person: what the rules do not allow is refused, or asked in `haft approvals watch`"
        }
        None => "whether it can ask a person was not tried",
    };
    let what = match (&found.state, served) {
        (State::Done, Ok(tools)) => format!("set up; the server starts and lists {tools} tools; {asks}"),
        (State::Done, Err(problem)) => format!("set up, but the server does not start: {problem}"),
        (State::NotDone, _) => format!("not set up: `haft setup {}`", found.host),
        (State::Blocked(problem), _) => format!("not set up: {problem}"),
    };
    format!("  {:<12} {what}", found.host.name())
}

fn as_json(found: &HostState, served: &Result<usize, String>) -> Value {
    json!({
        "host": found.host.name(),
        "set_up": found.state == State::Done,
        "tools": served.as_ref().ok(),
        "problem": match &found.state { State::Blocked(problem) => Some(problem), _ => served.as_ref().err() },
        "asks": found.host.asks(),
    })
}
