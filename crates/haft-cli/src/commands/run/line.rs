//! The interactive session: each line is a task, or a command of the session.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use super::commands::{self, NextStep};
use super::turns::{AgentRun, TurnEnd};
use crate::{args::CommonArgs, exit::Exit, output};

/// Handles lines until the end of input.
pub(super) async fn session(common: &CommonArgs, running: &mut AgentRun) -> Exit {
    if !common.quiet && !common.json {
        output::note("type a task, or /help for the commands; Ctrl-D ends the session");
    }
    loop {
        let Some(line) = next_line(common).await else { return Exit::Ok };
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        if line.starts_with('/') {
            match commands::run(common, running, line).await {
                NextStep::Goes => continue,
                NextStep::Ends => return Exit::Ok,
            }
        }
        let TurnEnd { .. } = running.turn(line).await;
        if !running.keep(line).await {
            output::note("haft: without its database the session does not go on (`agent.sessions.on_error`)");
            return Exit::ToolFailed;
        }
        for asked in running.headless.wanted() {
            output::note(&format!("not approved: {asked}"));
        }
        if !common.quiet && !common.json {
            output::note(&running.status_line());
        }
    }
}

/// Reads a line of the input; `None` at its end.
async fn next_line(common: &CommonArgs) -> Option<String> {
    if !common.json && io::stdin().is_terminal() {
        let mut out = io::stderr().lock();
        let _ = out.write_all(b"> ").and_then(|()| out.flush());
    }
    let reading = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line);
        read.is_ok_and(|bytes| bytes > 0).then_some(line)
    });
    reading.await.ok().flatten()
}
