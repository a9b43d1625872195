//! `edit`: finds text in a file without guessing and replaces it, and leaves every other byte
//! unchanged.

use std::{borrow::Cow, io::Read as _, path::Path, sync::Arc};

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::{
    Access, CallContext, Change as PredictedChange, FileDiff, Inspection, Location, Subject, Tool, ToolDef, ToolError,
    ToolKind, ToolOutput, ToolTraits,
};

use crate::atomic::{ExistingFile, replace};
use crate::cancel::Cancel;
use crate::diff::{diff, lossy_text};
use crate::error::FileError;
use crate::memory::FileSighting;
use crate::predict::Before;
use crate::splice::{EditMismatch, Request, Step, begins_with_crlf, find, line_number};
use crate::text::FileText;
use crate::workspace::{Site, Workspace};

pub(super) struct Edit(pub(super) Arc<Workspace>);

/// Replaces text in a file. `old_string` must occur exactly once unless `replace_all` is set.
/// Several changes go into `edits`, applied in order, all or none.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    path: String,
    /// Text to replace, exactly as in the file, without line numbers.
    old_string: Option<String>,
    /// Replacement; empty to delete.
    new_string: Option<String>,
    replace_all: Option<bool>,
    /// Several replacements instead of one.
    edits: Option<Vec<Change>>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Change {
    old_string: String,
    new_string: String,
    #[serde(default)]
    replace_all: bool,
}

impl Tool for Edit {
    type Args = Args;

    fn definition(&self) -> ToolDef {
        ToolDef::of::<Args>("edit", ToolKind::Edit, ToolTraits::EDIT).titled("Edit file").with_content(&[
            "old_string",
            "new_string",
            "edits",
        ])
    }

    async fn inspect(&self, args: &Args, cx: &CallContext) -> Result<Inspection, ToolError> {
        let site = self.0.site(cx)?;
        let path = site.resolve_readable(&site.named(&args.path))?.into_path();
        let foreseen_of = args.clone();
        let change = self.0.change_preview(cx, move |site, cancel| foreseen(&foreseen_of, site, cancel));
        let inspection = Inspection::mutating().touching(Subject::path(path, Access::Write)).changing(change);
        Ok(site.asking(inspection, &[&args.path]))
    }

    async fn run(&self, args: Args, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        let changes = changes(&args)?;
        self.0.blocking(cx, move |site, cancel| edit(&site.named(&args.path), &changes, site, cancel)).await
    }
}

/// Predicts the change of the edit. If the old text is not found, perhaps because of a credential
/// that is not visible here, this is the difference between the sent texts.
fn foreseen(args: &Args, site: &Site, cancel: &Cancel) -> Option<PredictedChange> {
    let asked = &*site.named(&args.path);
    let changes = changes(args).ok()?;
    let before = Before::of(site, asked)?;
    if let Before::Known(path, content) = &before {
        let decoded = FileText::of(content, asked).ok()?;
        if let Ok(edited) = apply(&decoded, &changes, (site, path), cancel) {
            return Some(PredictedChange::diff(difference(path, &decoded, &edited.text)));
        }
    }
    let (Before::Known(path, _) | Before::Unknown(path) | Before::Missing(path)) = before;
    let lines = |text: fn(&Change) -> &str| changes.iter().flat_map(|change| [text(change), "\n"]).collect::<String>();
    let (old, new) = (lines(|change| &change.old_string), lines(|change| &change.new_string));
    Some(PredictedChange::diff(diff(&path, Some(&old), &new)))
}

/// The requested replacements, in either of the two forms.
fn changes(args: &Args) -> Result<Vec<Change>, FileError> {
    let refuse = |text: String| Err(FileError::Arguments(text));
    // Empty texts next to `edits` are ignored: some models fill in every field.
    let given = |text: &Option<String>| text.clone().filter(|text| args.edits.is_none() || !text.is_empty());
    let replace_all = args.replace_all.filter(|all| *all || args.edits.is_none());
    let edits = args.edits.as_ref().filter(|edits| !edits.is_empty() || args.old_string.is_none());
    let changes = match (edits, &given(&args.old_string), &given(&args.new_string)) {
        (Some(edits), None, None) if replace_all.is_none() => edits.clone(),
        (Some(_), ..) => return refuse("`edits` excludes `old_string`, `new_string` and `replace_all`".into()),
        (None, Some(old), Some(new)) => {
            vec![Change { old_string: old.clone(), new_string: new.clone(), replace_all: replace_all.unwrap_or(false) }]
        }
        (None, None, _) => return refuse("`old_string` is missing".into()),
        (None, _, None) => return refuse("`new_string` is missing".into()),
    };
    if changes.is_empty() {
        return refuse("`edits` is empty".into());
    }
    for (index, change) in changes.iter().enumerate() {
        let at = label(index, &changes);
        if change.old_string.is_empty() {
            return refuse(format!("{at}`old_string` is empty; use `write` for a new file"));
        }
        if change.old_string == change.new_string {
            return refuse(format!("{at}`old_string` and `new_string` are equal"));
        }
    }
    Ok(changes)
}

fn label(index: usize, changes: &[Change]) -> String {
    if changes.len() == 1 { String::new() } else { format!("edits[{index}]: ") }
}

fn edit(asked: &Path, changes: &[Change], site: &Site, cancel: &Cancel) -> Result<ToolOutput, FileError> {
    site.resolve_readable(asked)?;
    let entry = site.entry_followed(asked)?;
    let path = entry.path();
    site.check_readable(&path, asked)?;
    let _lock = site.lock(&entry, cancel)?;
    let limit = site.limits().edit_bytes;
    let Some(existing) = ExistingFile::open(&entry, asked, limit)? else {
        return Err(site.missing(asked));
    };
    let Some(before) = existing.content.as_deref() else {
        return Err(FileError::TooLarge { path: asked.to_path_buf(), size: existing.metadata.size, limit });
    };
    let decoded = FileText::of(before, asked)?;
    let (memory, session) = site.memory();
    let stale = memory.stale_reading(session, &path, before);
    let mut edited = apply(&decoded, changes, (site, &path), cancel);
    if existing.is_shared()
        && let Err(FileError::Edit { miss: EditMismatch::NotFound { near, .. }, .. }) = &mut edited
    {
        *near = None;
    }
    let edited = match (edited, &stale) {
        // Reports the change since the last read even if the old text is still found. The edit is
        // based on what was read, and new text around it may give it another meaning.
        (Err(miss @ FileError::Edit { .. }), Some(seen)) => {
            return Err(changed_since_read(site, asked, &path, seen, before, &format!("{miss}\n")));
        }
        (_, Some(seen)) => return Err(changed_since_read(site, asked, &path, seen, before, "")),
        (edited, None) => edited?,
    };
    let content = decoded.encode(&edited.text)?;
    let manner = replace(&entry, Some(&existing), &content, asked, (site.unfinished(), cancel))?;
    memory.record_write(session, &path, &content);
    let change = difference(&path, &decoded, &edited.text);
    let mut summary = format!(
        "edited `{}`: {} {} (+{} -{} lines)",
        site.show(&path),
        edited.replaced,
        if edited.replaced == 1 { "replacement" } else { "replacements" },
        change.added,
        change.removed
    );
    for note in &edited.notes {
        summary.extend(["\n[", note, "]"]);
    }
    summary.push_str(manner.remark(existing.is_shared()));
    let line = u64::try_from(edited.first_line).ok();
    let output = ToolOutput::default().at(Location { path, line });
    if existing.is_shared() {
        return Ok(ToolOutput { summary, ..output });
    }
    summary.push('\n');
    summary.push_str(change.unified.trim_end_matches('\n'));
    Ok(ToolOutput { summary, diff: Some(change), ..output })
}

/// The difference of two texts of a file, in their shown form.
fn difference(path: &Path, decoded: &FileText, after: &str) -> FileDiff {
    diff(path, Some(&decoded.shown(&decoded.text)), &decoded.shown(after))
}

struct EditResult<'t> {
    text: Cow<'t, str>,
    replaced: usize,
    first_line: usize,
    notes: Vec<String>,
}

fn apply<'t>(
    decoded: &'t FileText,
    changes: &[Change],
    (site, path): (&Site, &Path),
    cancel: &Cancel,
) -> Result<EditResult<'t>, FileError> {
    let mut edited =
        EditResult { text: decoded.text.as_str().into(), replaced: 0, first_line: usize::MAX, notes: Vec::new() };
    // One replacement may remove the last line break before another adds lines.
    let crlf = begins_with_crlf(&decoded.text);
    for (index, change) in changes.iter().enumerate() {
        cancel.check()?;
        let at = label(index, changes);
        let Change { old_string: old, new_string: new, replace_all: all } = change;
        let request = Request { old, new, all: *all, crlf };
        let shown = decoded.shown(&edited.text);
        let whole = site.credentials(path, &shown);
        let found = find(&shown, request, &whole).map_err(|miss| {
            let miss = if whole.is_empty() { miss } else { miss_in_shown(&shown, request, (site, path), miss) };
            FileError::Edit { at: at.clone(), miss }
        })?;
        if request.all && !whole.is_empty() {
            edited.notes.push(format!("{at}nothing inside a credential was replaced: each counts as a whole"));
        }
        if found.step != Step::Exact {
            edited.notes.push(format!("{at}`old_string` was found by ignoring {}", found.step));
        }
        let line = found.places.first().map_or(1, |place| line_number(&shown, place.range.start));
        edited.first_line = edited.first_line.min(line);
        edited.replaced += found.places.len();
        let places = match &shown {
            Cow::Borrowed(_) => found,
            Cow::Owned(shown) => decoded.stored(&edited.text, shown, found),
        };
        edited.text = Cow::Owned(places.apply(&edited.text));
    }
    Ok(edited)
}

/// Explains a mismatch in a file with credentials by its shown text: the nearest text must not
/// reveal how much of a credential was guessed correctly.
fn miss_in_shown(text: &str, request: Request<'_>, (site, path): (&Site, &Path), miss: EditMismatch) -> EditMismatch {
    if matches!(miss, EditMismatch::Ambiguous { .. }) {
        return miss;
    }
    let mut shown = String::new();
    let told = match site.hiding(path, text.as_bytes()).read_to_string(&mut shown) {
        Ok(_) => find(&shown, request, &[]).err(),
        Err(_) => None,
    };
    match told {
        Some(told @ EditMismatch::NotFound { .. }) => told,
        _ => EditMismatch::NotFound { near: None, applied: None, copied: None },
    }
}

/// Refuses to replace content that the session has not seen.
pub(super) fn refuse_stale(site: &Site, asked: &Path, path: &Path, now: &[u8]) -> Result<(), FileError> {
    let (memory, session) = site.memory();
    match memory.stale(session, path, now) {
        Some(seen) => Err(changed_since_read(site, asked, path, &seen, now, "")),
        None => Ok(()),
    }
}

/// The refusal for a file that is too long to show the changes.
pub(super) fn changed_unseen(asked: &Path) -> FileError {
    let changes = "[read it again to see what changed]".to_owned();
    FileError::ChangedSinceRead { before: String::new(), path: asked.to_path_buf(), changes }
}

/// The refusal with the changes. Afterwards the session counts as having seen them.
fn changed_since_read(
    site: &Site,
    asked: &Path,
    path: &Path,
    seen: &FileSighting,
    now: &[u8],
    before: &str,
) -> FileError {
    let (memory, session) = site.memory();
    memory.record_read(session, path, now);
    let changes = match (seen.content().and_then(lossy_text), lossy_text(now)) {
        (Some(then), Some(now)) => diff(path, Some(&then), &now).unified.trim_end_matches('\n').to_owned(),
        _ => "[read it again to see what changed]".to_owned(),
    };
    FileError::ChangedSinceRead { before: before.to_owned(), path: asked.to_path_buf(), changes }
}
