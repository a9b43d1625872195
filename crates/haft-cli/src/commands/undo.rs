//! `haft undo`: what the last calls changed, and the way back.

use std::path::{Path, PathBuf};

use haft::checkpoint::{Change, Checkpoint, Checkpoints, Undone};

use crate::{
    args::Common,
    commands::open::open,
    exit::Exit,
    output::{self, one_line, printable},
};

/// What is wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) enum What {
    /// The calls that can be taken back.
    List,
    /// What the last ones changed.
    Diff(usize),
    /// The last ones taken back.
    Undo(usize),
}

/// Lists, shows or takes back.
pub(crate) fn run(common: &Common, what: What) -> Result<Exit, String> {
    let toolbox = open(common)?;
    let checkpoints = toolbox.checkpoints().ok_or("nothing is kept: `tools.checkpoints.enabled` is false")?;
    let workspace = toolbox.workdir();
    let done = match what {
        What::List => list(common, checkpoints, workspace),
        What::Diff(count) => checkpoints.diff(workspace, count).map(|text| {
            if common.json {
                output::json(&serde_json::json!({ "diff": text }));
            } else {
                output::line(printable(&text).trim_end());
            }
            Exit::Ok
        }),
        What::Undo(count) => checkpoints.undo(workspace, count).map(|undone| told(common, &undone, workspace)),
    };
    done.map_err(|error| error.to_string())
}

fn list(
    common: &Common,
    checkpoints: &Checkpoints,
    workspace: &Path,
) -> Result<Exit, haft::checkpoint::CheckpointError> {
    let mut list = checkpoints.list(workspace)?;
    list.retain(|checkpoint| !checkpoint.undone);
    list.reverse();
    if common.json {
        output::json(&list);
        return Ok(Exit::Ok);
    }
    for checkpoint in &list {
        output::line(&line(checkpoint, workspace));
    }
    if list.is_empty() && !common.quiet {
        output::note("no call changed anything here that could be taken back");
    }
    Ok(Exit::Ok)
}

/// One call on one line.
fn line(checkpoint: &Checkpoint, workspace: &Path) -> String {
    const MOST: usize = 5;
    let changes: Vec<&Change> = checkpoint.changes.iter().filter(|change| change.is_telling()).collect();
    let sign = |change: &Change| match (&change.before, &change.after) {
        (None, _) => '+',
        (_, None) => '-',
        _ => '~',
    };
    let mut names: Vec<String> = changes
        .iter()
        .take(MOST)
        .map(|change| format!("{}{}", sign(change), shown(&change.path.0, workspace)))
        .collect();
    if changes.len() > MOST {
        names.push(format!("and {} more", changes.len() - MOST));
    }
    if changes.is_empty() {
        names.extend(checkpoint.gaps.first().map(|gap| one_line(gap)));
    }
    format!("{:>4}  {}  {:<12} {}", checkpoint.number, checkpoint.at, checkpoint.tool, names.join(" "))
}

fn told(common: &Common, undone: &Undone, workspace: &Path) -> Exit {
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
    if !common.quiet {
        for gap in &undone.gaps {
            output::note(&format!("not covered: {}", one_line(gap)));
        }
    }
    if undone.calls.is_empty() && !common.quiet {
        output::note("no call changed anything here that could be taken back");
    }
    exit
}

fn shown(path: &Path, workspace: &Path) -> String {
    one_line(&path.strip_prefix(workspace).unwrap_or(path).to_string_lossy())
}
