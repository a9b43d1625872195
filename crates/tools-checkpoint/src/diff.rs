//! Formats changes of calls as text.

use std::{fmt::Write as _, io::Read as _, path::Path};

use similar::TextDiff;

use crate::error::CheckpointError;
use crate::hash::Hash;
use crate::record::{Change, Checkpoint};
use crate::state::{EntryKind, State, shown};
use crate::store::Store;

/// Maximum size in bytes of a content that is compared by lines.
const MAX_COMPARED_BYTES: u64 = 1024 * 1024;

/// Formats two texts as a patch: all differing lines, with three lines of context, below both
/// names. Empty for equal texts.
pub fn patch(before: &str, after: &str, names: [&str; 2]) -> String {
    TextDiff::from_lines(before, after).unified_diff().header(names[0], names[1]).to_string()
}

/// The changes of these calls, one after the other.
pub(crate) fn diff(store: &Store, checkpoints: &[Checkpoint], workspace: &Path) -> Result<String, CheckpointError> {
    let mut text = String::new();
    for checkpoint in checkpoints {
        let _ = writeln!(text, "# {} {} {}", checkpoint.number, checkpoint.at, checkpoint.tool);
        for change in checkpoint.changes.iter().filter(|change| change.is_reportable()) {
            text.push_str(&one(store, change, workspace)?);
        }
        for gap in &checkpoint.gaps {
            let _ = writeln!(text, "# {gap}");
        }
    }
    Ok(text)
}

fn one(store: &Store, change: &Change, workspace: &Path) -> Result<String, CheckpointError> {
    let name = shown(&change.path.0, workspace);
    let (before, after) = (change.before.as_ref(), change.after.as_ref());
    let is_file = |state: Option<&State>| state.is_none_or(|state| state.kind == EntryKind::File);
    let hash = |state: Option<&State>| state.and_then(|state| state.hash.clone());
    if is_file(before)
        && is_file(after)
        && hash(before) != hash(after)
        && let (Some(old), Some(new)) = (content(store, before)?, content(store, after)?)
    {
        let label = |state: Option<&State>, side: &str| match state {
            Some(_) => format!("{side}/{name}"),
            None => "/dev/null".to_owned(),
        };
        let unified = patch(&old, &new, [&label(before, "a"), &label(after, "b")]);
        if !unified.is_empty() {
            return Ok(unified);
        }
    }
    Ok(format!("{}: {} -> {}\n", name, described(before), described(after)))
}

/// Content as text; `None` if it is not text, too large or not stored.
fn content(store: &Store, state: Option<&State>) -> Result<Option<String>, CheckpointError> {
    let Some(state) = state else { return Ok(Some(String::new())) };
    let Some(hash) = state.hash.as_ref().filter(|_| state.size <= MAX_COMPARED_BYTES) else { return Ok(None) };
    let mut bytes = Vec::new();
    let Some(hash) = Hash::parse(hash) else { return Ok(None) };
    let Ok(kept) = store.content(hash) else { return Ok(None) };
    kept.take(MAX_COMPARED_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(String::from_utf8(bytes).ok().filter(|text| !text.contains('\0')))
}

fn described(state: Option<&State>) -> String {
    let Some(state) = state else { return "nothing".to_owned() };
    match (state.kind, &state.target) {
        (EntryKind::File, _) => format!("file of {} bytes, mode {:o}", state.size, state.mode),
        (EntryKind::Directory, _) => format!("folder, mode {:o}", state.mode),
        (EntryKind::Symlink, Some(target)) => format!("link to {}", target.0.display()),
        (EntryKind::Fifo, _) => "named pipe".to_owned(),
        _ => "something else".to_owned(),
    }
}
