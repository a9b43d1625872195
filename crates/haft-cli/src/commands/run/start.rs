//! Builds an agent from the arguments: its model, its tools, its conversation.

use std::sync::Arc;

use haft::agents::sessions::{HeldSession, SavedSession, Sessions, SessionsError};
use haft::agents::{AgentEvents, CompressDesk};
use haft::core::{DynExecutor, SessionId, Typed};
use haft::providers::scripted::ScriptedProvider;
use haft::saved_sessions;
use haft_serve::{agent_builder, agent_provider};

use super::confirm::Headless;
use super::turns::{AgentRun, TurnEnd};
use super::{line, show};
use crate::args::{CommonArgs, NonInteractive, Run};
use crate::commands::open::{building, load, workdir};
use crate::exit::Exit;
use crate::output;

/// Capacity of the queue of events to show.
const EVENTS: usize = 4096;

/// Runs one task, or a session if no task is given.
pub(crate) async fn run(common: &CommonArgs, verb: &Run) -> Result<Exit, String> {
    let sessions = saved_sessions(&load(common)?).map_err(|error| error.to_string())?;
    let (held, kept) = match resumed(common, verb, &sessions).await? {
        Some((held, kept)) => (Some(held), Some(kept)),
        None => (None, None),
    };
    let common = &CommonArgs {
        session: kept.as_ref().map(|kept| kept.session.as_str().to_owned()).or_else(|| common.session.clone()),
        ..common.clone()
    };
    let desk = CompressDesk::default();
    let scripted = verb.scripted.as_deref().map(ScriptedProvider::of_file).transpose()?;
    let tool = DynExecutor::new(Typed::new(desk.tool()));
    let toolbox = building(common, |config| config, |builder| builder.executor(tool))?;
    let provider = match scripted {
        Some(scripted) => Arc::new(scripted),
        None => agent_provider(&toolbox, verb.provider.as_deref().unwrap_or_default())?,
    };
    let (events, receiver) = AgentEvents::channel(EVENTS);
    let headless = Headless::of(verb.non_interactive);
    let mut builder = agent_builder(&toolbox, &provider, Arc::new(toolbox.clone()), desk)?
        .confirmer(headless.confirmer())
        .events(events);
    let mut title = String::new();
    if let Some(kept) = kept {
        title.clone_from(&kept.title);
        builder = kept.resumed(builder)?;
    }
    let shown = show::EventView::new(common, &toolbox)?;
    let held = match held {
        Some(held) => held,
        None => sessions.hold(toolbox.context().session()).await.map_err(|error| error.to_string())?,
    };
    let mut running = AgentRun { held, toolbox, agent: builder.build(), receiver, shown, headless, title };
    let _watch = running.toolbox.watch(|name| std::env::var(name).ok());
    let ended = match &verb.task {
        Some(task) => running.one(common, task).await,
        None => line::session(common, &mut running).await,
    };
    let session = running.toolbox.context().session().clone();
    running.toolbox.end_jobs(&session).await;
    running.held.release().await;
    Ok(ended)
}

/// The saved conversation to resume, and the lock on it; `None` for a new one.
async fn resumed(
    common: &CommonArgs,
    verb: &Run,
    sessions: &Sessions,
) -> Result<Option<(HeldSession, SavedSession)>, String> {
    let Some(which) = &verb.resume else { return Ok(None) };
    let unreadable = |error: SessionsError| error.to_string();
    let session = match which.as_deref().or(common.session.as_deref()) {
        Some(id) => Some(SessionId::parse(id).map_err(|error| error.to_string())?),
        None => sessions.latest(&workdir(common)?).await.map_err(unreadable)?.map(|kept| kept.session),
    };
    let missing = || "no session of this directory to resume; see `haft sessions list`".to_owned();
    let session = session.ok_or_else(missing)?;
    // Lock before reading, so that no other process changes the session after it was read.
    let held = sessions.hold(&session).await.map_err(unreadable)?;
    let kept = sessions.find(&session).await.map_err(unreadable)?.ok_or_else(missing)?;
    Ok(Some((held, kept)))
}

impl AgentRun {
    /// Runs one task; returns the command's exit code.
    async fn one(&mut self, common: &CommonArgs, task: &str) -> Exit {
        let TurnEnd { turn, signal } = self.turn(task).await;
        let is_kept = self.keep(task).await;
        if !common.quiet && !common.json {
            output::note(&self.status_line());
            output::note(&format!("session {}; resume it with `haft run --resume`", self.toolbox.context().session()));
        }
        let wanted = self.headless.wanted();
        if !common.quiet {
            for asked in &wanted {
                output::note(&format!("not approved: {asked}"));
            }
        }
        match (signal, is_kept) {
            (Some(signal), _) => Exit::interrupted(signal),
            (None, false) => Exit::ToolFailed,
            (None, true) => exit(&turn.stop, !wanted.is_empty()),
        }
    }
}

/// Exit code for the end of a turn.
fn exit(stop: &haft::agents::Stop, unanswered: bool) -> Exit {
    use haft::agents::Stop;
    match stop {
        Stop::Done | Stop::Cancelled if unanswered => Exit::ApprovalWanted,
        Stop::Done => Exit::Ok,
        Stop::Cancelled | Stop::Provider { .. } => Exit::ToolFailed,
        _ => Exit::Limit,
    }
}

impl NonInteractive {
    /// Whether the first question ends the turn.
    pub(super) fn aborts(self) -> bool {
        self == Self::Abort
    }
}
