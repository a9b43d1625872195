//! `write`: a whole file, new or replaced.

use std::{borrow::Cow, path::Path, sync::Arc};

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::{
    Access, CallContext, Change, FileDiff, Inspection, Location, Subject, Tool, ToolDef, ToolError, ToolKind,
    ToolOutput, ToolTraits,
};

use crate::atomic::{ExistingFile, WriteMethod, replace};
use crate::cancel::Cancel;
use crate::diff::{diff, lossy_text};
use crate::error::FileError;
use crate::predict::Before;
use crate::text::{Encoding, FileText};
use crate::workspace::{Site, Workspace};

pub(super) struct Write(pub(super) Arc<Workspace>);

/// Creates or replaces a whole file, with missing parent directories. Use `edit` to change a part.
/// Refused when the file changed since this session last read or wrote it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    path: String,
    content: String,
}

impl Tool for Write {
    type Args = Args;

    fn definition(&self) -> ToolDef {
        let traits = ToolTraits { idempotent: true, ..ToolTraits::EDIT };
        ToolDef::of::<Args>("write", ToolKind::Edit, traits).titled("Write file").with_content(&["content"])
    }

    async fn inspect(&self, args: &Args, cx: &CallContext) -> Result<Inspection, ToolError> {
        let site = self.0.site(cx)?;
        let path = site.resolve_readable(&site.named(&args.path))?.into_path();
        let foreseen_of = args.clone();
        let change = self.0.change_preview(cx, move |site, _| foreseen(&foreseen_of, site));
        let inspection = Inspection::mutating().touching(Subject::path(path, Access::Write)).changing(change);
        Ok(site.asking(inspection, &[&args.path]))
    }

    async fn run(&self, args: Args, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        self.0.blocking(cx, move |site, cancel| write(&args, site, cancel)).await
    }
}

fn foreseen(args: &Args, site: &Site) -> Option<Change> {
    let before = Before::of(site, &site.named(&args.path))?;
    let kept = match &before {
        Before::Known(_, content) => as_before(content, &args.content).content,
        Before::Missing(_) | Before::Unknown(_) => None,
    };
    Some(before.replaced_by(kept.as_deref().unwrap_or(args.content.as_bytes())))
}

fn write(args: &Args, site: &Site, cancel: &Cancel) -> Result<ToolOutput, FileError> {
    let asked = &*site.named(&args.path);
    if args.path.ends_with('/') {
        return Err(FileError::Arguments(format!("path `{}` names a directory", args.path)));
    }
    let (entry, _) = site.writable_entry(asked)?;
    let path = entry.path();
    let _lock = site.lock(&entry, cancel)?;
    let existing = ExistingFile::open(&entry, asked, site.limits().edit_bytes)?;
    let before = existing.as_ref().and_then(|existing| existing.content.as_deref());
    let (memory, session) = site.memory();
    match (&existing, before) {
        (_, Some(now)) => super::edit::refuse_stale(site, asked, &path, now)?,
        (Some(existing), None) if memory.knows(session, &path) => {
            let now = existing.digest(memory.digest(), asked, cancel)?;
            if memory.stale_digest(session, &path, &now) {
                memory.record_read_digest(session, &path, &now);
                return Err(super::edit::changed_unseen(asked));
            }
        }
        _ => {}
    }
    let kept = before.map(|before| as_before(before, &args.content)).unwrap_or_default();
    let content = kept.content.as_deref().unwrap_or(args.content.as_bytes());
    let manner = match before {
        Some(before) if before == content => WriteMethod::Renamed,
        _ => replace(&entry, existing.as_ref(), content, asked, (site.unfinished(), cancel))?,
    };
    let text = before.and_then(lossy_text);
    let is_shared = existing.as_ref().is_some_and(ExistingFile::is_shared);
    let has_diff = !is_shared && (existing.is_none() || text.is_some());
    memory.record_write(session, &path, content);
    let name = site.show(&path);
    let lines = args.content.lines().count();
    let extent = format!("{lines} {}, {} bytes", if lines == 1 { "line" } else { "lines" }, content.len());
    let mut summary = match (&existing, before) {
        (None, _) => format!("created `{name}` ({extent})"),
        (Some(_), Some(before)) if before == content => format!("`{name}` already holds this content ({extent})"),
        (Some(_), _) => format!("replaced `{name}` ({extent})"),
    };
    let mut output = ToolOutput::default();
    if has_diff {
        let after = kept.content.as_deref().and_then(lossy_text);
        let change = diff(&path, text.as_deref(), after.as_deref().unwrap_or(&args.content));
        if existing.is_some() && !change.unified.is_empty() {
            summary.push_str(&what_changed(&change, lines));
        }
        output.diff = Some(change);
    }
    for kept in &kept.notes {
        summary.extend(["\n[", kept, "]"]);
    }
    summary.push_str(manner.remark(is_shared));
    Ok(ToolOutput { summary, ..output }.at(Location { path, line: None }))
}

/// The change of a file: a diff if it is short compared with the content, which the sender knows;
/// otherwise numbers of lines.
fn what_changed(change: &FileDiff, lines: usize) -> String {
    /// Maximum number of diff lines shown for any file.
    const MIN_DIFF_LINES: usize = 12;
    /// Maximum number of diff lines shown for a long file.
    const MAX_DIFF_LINES: usize = 60;
    let shown = change.unified.trim_end_matches('\n');
    if shown.lines().count() <= (lines / 2).clamp(MIN_DIFF_LINES, MAX_DIFF_LINES) {
        format!("\n{shown}")
    } else {
        format!(" (+{} -{} lines)", change.added, change.removed)
    }
}

/// New content adapted to the conventions of the file.
#[derive(Default)]
struct FileManner {
    /// `None` when the content is written as given.
    content: Option<Vec<u8>>,
    notes: Vec<String>,
}

/// Keeps the line endings and byte order mark of the file. Readers are not shown them, so writing
/// back what was read is not meant to change them.
fn as_before(before: &[u8], content: &str) -> FileManner {
    let mut notes = Vec::new();
    let Ok(decoded) = FileText::of(before, Path::new("")) else {
        return FileManner::default();
    };
    let breaks = memchr::memchr_iter(b'\n', decoded.text.as_bytes()).count();
    let is_crlf = breaks > 0 && decoded.text.matches("\r\n").count() == breaks;
    let mut text = Cow::Borrowed(content);
    if is_crlf && content.contains('\n') && !content.contains('\r') {
        text = content.replace('\n', "\r\n").into();
        notes.push("written with CRLF, as the file had it".to_owned());
    }
    let marked = matches!(decoded.encoding, Encoding::Utf8Bom | Encoding::Utf16Le | Encoding::Utf16Be);
    if marked && !content.starts_with('\u{feff}') {
        notes.push(format!("written as {}, as the file was", decoded.encoding.name()));
        return FileManner { content: decoded.encode(&text).ok().map(Cow::into_owned), notes };
    }
    FileManner { content: matches!(text, Cow::Owned(_)).then(|| text.into_owned().into_bytes()), notes }
}
