//! `haft undo` and `haft redo`: reverts and restores changes of calls.

use std::path::{Path, PathBuf};

use haft::Toolbox;
use haft::checkpoint::{Change, Checkpoint, CheckpointError, Checkpoints, UndoSelection, Undone};

use crate::args::CommonArgs;
use crate::commands::open::open;
use crate::exit::Exit;
use crate::output::{self, one_line, printable};

/// Requested operation.
#[derive(Debug, Clone, Copy)]
pub(crate) enum UndoRequest {
    /// List the calls that can be undone.
    List,
    /// Show the changes of some calls.
    Diff,
    /// Undo calls.
    Undo(UndoPlace),
    /// Revert the last undo.
    Redo(UndoPlace),
}

/// Folder in which an undo or redo changes files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UndoPlace {
    /// The folder in which the changes were made.
    SameFolder,
    /// Whatever is at the path of the workspace now.
    AnyFolder,
}

impl UndoPlace {
    /// Place selected by `--here`.
    pub(crate) fn of_option(here: bool) -> Self {
        if here { Self::AnyFolder } else { Self::SameFolder }
    }
}

/// Selected calls: those with the given numbers, else the last ones.
pub(crate) fn selection(common: &CommonArgs, calls: &[u64], last: usize) -> UndoSelection {
    match calls {
        [] => UndoSelection::Last { count: last, session: common.session.clone() },
        calls => UndoSelection::Numbers(calls.to_vec()),
    }
}

/// Runs the requested operation.
pub(crate) async fn run(common: &CommonArgs, what: UndoRequest, calls: UndoSelection) -> Result<Exit, String> {
    let toolbox = open(common)?;
    if let Some(session) = &common.session {
        is_here(&toolbox, session).await.map_err(|error| error.to_string())?;
    }
    run_on(common, &toolbox, what, calls)
}

/// Checks whether the changes of a session can be on this machine.
///
/// # Errors
/// [`CheckpointError::Elsewhere`] if this machine's store has no calls of the session, but the
/// shared record has some on other machines.
#[cfg_attr(not(feature = "postgres"), expect(clippy::unused_async, reason = "no record is shared in this build"))]
async fn is_here(toolbox: &Toolbox, session: &str) -> Result<(), CheckpointError> {
    #[cfg(feature = "postgres")]
    if let Some(checkpoints) = &toolbox.parts().checkpoints
        && !checkpoints.list(toolbox.workdir())?.iter().any(|checkpoint| checkpoint.session == session)
        && let Ok(Some(database)) = haft::team::audit::AuditDatabase::of(&toolbox.config().tools.audit)
    {
        // Changes on this machine can be undone without the database, so its failure is ignored.
        let machines = database.other_machines_of(session).await.unwrap_or_default();
        if !machines.is_empty() {
            return Err(CheckpointError::Elsewhere { session: session.to_owned(), machines });
        }
    }
    let _ = (toolbox, session);
    Ok(())
}

/// Runs the operation on an existing toolbox.
pub(crate) fn run_on(
    common: &CommonArgs,
    toolbox: &Toolbox,
    what: UndoRequest,
    calls: UndoSelection,
) -> Result<Exit, String> {
    let checkpoints = toolbox.parts().checkpoints.as_ref();
    let checkpoints = checkpoints.ok_or("checkpoints are disabled: `tools.checkpoints.enabled` is false")?;
    let workspace = toolbox.workdir();
    let checkpoints = match what {
        UndoRequest::Undo(UndoPlace::AnyFolder) | UndoRequest::Redo(UndoPlace::AnyFolder) => {
            &checkpoints.in_any_folder()
        }
        _ => checkpoints,
    };
    let done = match what {
        UndoRequest::List => list(common, checkpoints, workspace),
        UndoRequest::Diff => checkpoints.diff(workspace, calls).map(|text| {
            if common.json {
                output::json(&serde_json::json!({ "diff": text }));
            } else if text.is_empty() {
                nothing(common, NOTHING);
            } else {
                output::line(printable(&text).trim_end());
            }
            Exit::Ok
        }),
        UndoRequest::Undo(_) => checkpoints.undo(workspace, calls).and_then(|undone| {
            let left = checkpoints.list(workspace)?.into_iter().rfind(|call| call.tried && !call.undone);
            let none = left.map_or(NOTHING.to_owned(), |call| {
                let number = call.number;
                format!("nothing to undo but what was kept before: `haft undo {number}` tries that call again")
            });
            Ok(told(common, &undone, workspace, &none))
        }),
        UndoRequest::Redo(_) => {
            let none = "nothing to redo: no undo is on record here that was not redone";
            checkpoints.redo(workspace).map(|undone| told(common, &undone, workspace, none))
        }
    };
    done.map_err(|error| match error {
        CheckpointError::OtherFolder { .. } => {
            format!("{error}: nothing was done. Is it mounted? With `--here` it is done in this one")
        }
        error => error.to_string(),
    })
}

const NOTHING: &str = "nothing to undo: no change of a call is on record here";

fn nothing(common: &CommonArgs, note: &str) {
    if !common.quiet {
        output::note(note);
    }
}

fn list(common: &CommonArgs, checkpoints: &Checkpoints, workspace: &Path) -> Result<Exit, CheckpointError> {
    let mut list = checkpoints.list(workspace)?;
    let is_meant = |checkpoint: &Checkpoint| {
        let is_of_session = common.session.as_ref().is_none_or(|session| checkpoint.session == *session);
        !checkpoint.undone && checkpoint.undoes.is_none() && is_of_session
    };
    list.retain(is_meant);
    list.reverse();
    if common.json {
        output::json(&list);
        return Ok(Exit::Ok);
    }
    for checkpoint in &list {
        output::line(&line(checkpoint, workspace));
    }
    if list.is_empty() {
        nothing(common, NOTHING);
    }
    Ok(Exit::Ok)
}

/// Formats one call on one line.
fn line(checkpoint: &Checkpoint, workspace: &Path) -> String {
    const MAX_LISTED: usize = 5;
    let changes: Vec<&Change> = checkpoint.changes.iter().filter(|change| change.is_reportable()).collect();
    let sign = |change: &Change| match (&change.before, &change.after) {
        (None, _) => '+',
        (_, None) => '-',
        _ => '~',
    };
    let mut names: Vec<String> = changes
        .iter()
        .take(MAX_LISTED)
        .map(|change| format!("{}{}", sign(change), shown(&change.path.0, workspace)))
        .collect();
    if changes.len() > MAX_LISTED {
        names.push(format!("and {} more", changes.len() - MAX_LISTED));
    }
    if changes.is_empty() {
        names.extend(checkpoint.gaps.first().map(|gap| one_line(gap)));
    }
    if checkpoint.partly_undone {
        names.push("(partly undone)".to_owned());
    } else if checkpoint.tried {
        names.push("(undo restored nothing)".to_owned());
    }
    let Checkpoint { number, at, tool, session, what, .. } = checkpoint;
    // The path of a file tool is already among the changed paths.
    let is_named = changes.iter().any(|change| change.path.0 == Path::new(what));
    let what = if what.is_empty() || is_named { String::new() } else { format!(" `{}`", one_line(what)) };
    let session = if session.is_empty() { String::new() } else { format!("  {}", one_line(session)) };
    format!("{number:>4}  {at}{session}  {tool:<12}{what} {}", names.join(" "))
}

fn told(common: &CommonArgs, undone: &Undone, workspace: &Path, none: &str) -> Exit {
    let exit = if undone.refused.is_empty() { Exit::Ok } else { Exit::ToolFailed };
    if common.json {
        output::json(undone);
        return exit;
    }
    let say = |what: &str, paths: &[PathBuf]| {
        for path in paths {
            output::line(&format!("{what} {}", shown(path, workspace)));
        }
    };
    say("restored", &undone.restored);
    say("removed ", &undone.removed);
    for refusal in &undone.refused {
        output::line(&format!("kept     {}: {}", shown(&refusal.path, workspace), refusal.why));
    }
    say("skipped ", &undone.others);
    if !common.quiet {
        if !undone.others.is_empty() {
            output::note("left alone: changed by something else while the call ran");
        }
        for gap in &undone.gaps {
            output::note(&format!("not covered: {}", one_line(gap)));
        }
    }
    if undone.calls.is_empty() {
        nothing(common, none);
    }
    exit
}

fn shown(path: &Path, workspace: &Path) -> String {
    one_line(&path.strip_prefix(workspace).unwrap_or(path).to_string_lossy())
}
