//! The commands of a session: `/clear`, `/compact`, `/status`, `/trust`, `/undo`.

use haft::{checkpoint::UndoSelection, core::ToolName};

use super::{status, turns::AgentRun};
use crate::args::CommonArgs;
use crate::commands::undo;
use crate::output::{self, one_line};

const HELP: &str = "\
/status             how the session stands
/compact [FOCUS]    put a summary in the place of the older messages
/clear [--all]      forget the conversation, the quota and the cache; with --all also what was allowed for the session
/undo               take back what the last call of this session changed
/trust reset TOOL   let a tool back that was blocked because it kept failing
/quit               end the session";

/// Whether the session goes on.
pub(super) enum NextStep {
    Goes,
    Ends,
}

/// Runs a command.
pub(super) async fn run(common: &CommonArgs, running: &mut AgentRun, line: &str) -> NextStep {
    let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    match command {
        "/help" => output::line(HELP),
        "/quit" | "/exit" => return NextStep::Ends,
        "/status" => status::show(running, common.json),
        "/compact" => compact(running, rest).await,
        "/clear" => clear(running, rest == "--all"),
        "/undo" => take_back(common, running),
        "/trust" => trust(rest),
        other => output::note(&format!("there is no command `{}`; /help lists them", one_line(other))),
    }
    NextStep::Goes
}

async fn compact(running: &mut AgentRun, focus: &str) {
    let focus = Some(focus).filter(|focus| !focus.is_empty());
    match running.agent.compact(focus).await {
        Ok(0) => output::note("nothing to summarise: the conversation is short"),
        Ok(messages) => output::note(&format!("{messages} messages became a summary")),
        Err(error) => output::note(&format!("nothing has changed: {error}")),
    }
    while let Ok(event) = running.receiver.try_recv() {
        running.shown.event(&event);
    }
}

fn clear(running: &mut AgentRun, all: bool) {
    let session = running.toolbox.context().session().clone();
    running.agent.clear();
    running.toolbox.reset_session(&session);
    running.toolbox.parts().cache.results().forget(&session);
    if all {
        running.toolbox.end_session(&session);
    }
    output::note("the conversation was cleared");
}

fn take_back(common: &CommonArgs, running: &AgentRun) {
    let session = running.toolbox.context().session().as_str().to_owned();
    let last = UndoSelection::Last { count: 1, session: Some(session) };
    if let Err(problem) =
        undo::run_on(common, &running.toolbox, undo::UndoRequest::Undo(undo::UndoPlace::SameFolder), last)
    {
        output::note(&problem);
    }
}

fn trust(rest: &str) {
    let tool = rest.strip_prefix("reset").map(str::trim).and_then(|tool| ToolName::parse(tool).ok());
    let Some(tool) = tool else { return output::note("/trust reset TOOL unblocks a tool") };
    match haft::policy::anomaly::ToolHealth::request_reset(&haft::config::places::resets_dir(), &tool) {
        Ok(()) => output::note(&format!("`{tool}` runs again")),
        Err(error) => output::note(&format!("`{tool}` cannot be unblocked: {error}")),
    }
}
