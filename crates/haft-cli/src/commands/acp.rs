//! `haft acp`: serves as the agent of an editor.

use std::path::Path;

use haft::{Toolbox, overflow_archive, providers::scripted::ScriptedProvider, saved_sessions};
use haft_serve::{AcpAgent, AcpPlace, Viewer, serve_acp, show_in_terminal};
use tokio_util::sync::CancellationToken;

use crate::args::{Acp, CommonArgs};
use crate::commands::call::interrupt;
use crate::commands::open::{building, load, takes_everything, workdir};
use crate::exit::Exit;

/// Serves one editor until it disconnects.
pub(crate) async fn run(common: &CommonArgs, verb: &Acp) -> Result<Exit, String> {
    if let Some(socket) = &verb.view {
        return view(socket);
    }
    if common.session.is_some() {
        return Err("`--session` cannot be used here: the editor opens and loads its sessions".to_owned());
    }
    // Report configuration errors before an editor waits for an answer.
    let loaded = load(common)?;
    let archive = overflow_archive(&loaded).map_err(|error| error.to_string())?;
    let sessions = saved_sessions(&loaded).map_err(|error| error.to_string())?;
    let within = common.workdir.as_ref().map(|_| workdir(common)).transpose()?;
    let scripted = verb.scripted.as_deref().map(ScriptedProvider::of_file).transpose()?;
    let common = common.clone();
    let make = move |place: AcpPlace| toolbox(&common, within.as_deref(), place);
    let mut agent = AcpAgent::new(make, verb.provider.clone().unwrap_or_default(), sessions).storing_in(archive);
    // If the program file was replaced since the start, its path is unknown; output is then shown
    // as text.
    if let Ok(program) = std::env::current_exe() {
        agent = agent.viewed_by(Viewer { program, arguments: vec!["acp".into(), "--view".into()] });
    }
    if let Some(provider) = scripted {
        agent = agent.answered_by(std::sync::Arc::new(provider));
    }
    let stop = CancellationToken::new();
    let serving = serve_acp(agent, stop.clone());
    tokio::pin!(serving);
    tokio::select! {
        () = &mut serving => Ok(Exit::Ok),
        signal = interrupt() => {
            stop.cancel();
            serving.await;
            Ok(Exit::interrupted(signal))
        }
    }
}

/// Shows a call in this terminal, which the editor opened for it.
fn view(socket: &str) -> Result<Exit, String> {
    match show_in_terminal(socket, std::io::stdout().lock()) {
        Ok(0) => Ok(Exit::Ok),
        Ok(_) => Ok(Exit::ToolFailed),
        Err(error) => Err(format!("the call is not shown any more: {error}")),
    }
}

/// Builds the toolbox of a session.
fn toolbox(common: &CommonArgs, within: Option<&Path>, place: AcpPlace) -> Result<Toolbox, String> {
    let AcpPlace { workdir, session, tool } = place;
    let shown = workdir.display();
    if let Some(within) = within.filter(|within| !workdir.starts_with(within)) {
        return Err(format!("`{shown}` is not in `{}`, where sessions of this agent work", within.display()));
    }
    if within.is_none() && takes_everything(common, &workdir)? {
        return Err(format!(
            "the tools could write everything in `{shown}`: open the folder of a project, start the agent with `haft acp --workdir {shown}` if that is meant, or set `tools.file.allowed_paths` and `tools.shell.allowed_paths`"
        ));
    }
    let session = session.map(|session| session.as_str().to_owned());
    let common = CommonArgs { workdir: Some(workdir), session, ..common.clone() };
    building(&common, |config| config, |builder| builder.executor(tool))
}
