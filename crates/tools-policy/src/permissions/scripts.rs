//! Finds the files of code that a subject runs, and those that changed since they were approved.
//! Pure.

use tools_core::{Inspection, Script, Subject};

use crate::decision::OtherScript;

/// The files of code that a subject runs; for a whole line, those of all its commands.
pub(super) fn run_by<'a>(inspection: &'a Inspection, subject: &'a Subject) -> impl Iterator<Item = &'a Script> {
    let (is_line, line) = match subject {
        Subject::Command { line, program, .. } => (program.is_empty(), Some(line)),
        _ => (false, None),
    };
    inspection.subjects.iter().filter_map(move |one| match one {
        Subject::Script { command, script } if is_line || Some(command) == line => Some(script),
        _ => None,
    })
}

/// The files of code that differ from the remembered ones; empty if none are required to match.
pub(super) fn others<'a>(
    remembered: Option<&'a [Script]>,
    now: impl Iterator<Item = &'a Script>,
) -> impl Iterator<Item = OtherScript> {
    let is_other = move |script: &&Script| remembered.is_some_and(|all| !all.iter().any(|known| known.is_same(script)));
    now.filter(is_other).map(move |script| OtherScript {
        was: remembered.unwrap_or_default().iter().find(|known| known.path == script.path).cloned(),
        is: script.clone(),
    })
}
