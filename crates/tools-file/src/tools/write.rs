//! `write`: a whole file, new or replaced.

use std::{path::Path, sync::Arc};

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::{
    Access, CallContext, Inspection, Location, Subject, Tool, ToolDef, ToolError, ToolKind, ToolOutput, ToolTraits,
};

use crate::{
    atomic::{Existing, Manner, replace},
    diff::{diff, lossy_text},
    error::FileError,
    workspace::{Cancel, Site, Workspace},
};

pub(super) struct Write(pub(super) Arc<Workspace>);

/// Writes a whole file, creating it and missing parent directories, or replacing what it holds. Use `edit` to change a
/// part of a file. Refused when the file changed since it was last read.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The file, absolute or relative to the working directory.
    path: String,
    /// Everything the file is to hold, exactly.
    content: String,
}

impl Tool for Write {
    type Args = Args;

    fn definition(&self) -> ToolDef {
        ToolDef::of::<Args>("write", ToolKind::Edit, ToolTraits::EDIT).titled("Write file")
    }

    async fn inspect(&self, args: &Args, cx: &CallContext) -> Result<Inspection, ToolError> {
        let path = self.0.site(cx)?.resolve_readable(Path::new(&args.path))?;
        Ok(Inspection::mutating().touching(Subject::path(path, Access::Write)))
    }

    async fn run(&self, args: Args, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        self.0.blocking(cx, move |site, cancel| write(&args, site, cancel)).await
    }
}

fn write(args: &Args, site: &Site, cancel: &Cancel) -> Result<ToolOutput, FileError> {
    let asked = Path::new(&args.path);
    if args.path.ends_with('/') {
        return Err(FileError::Arguments(format!("path `{}` names a directory", args.path)));
    }
    let (entry, _) = site.writable_entry(asked)?;
    let path = entry.path();
    let _lock = site.lock(&entry, cancel)?;
    let existing = Existing::open(&entry, asked, site.limits().edit_bytes)?;
    let before = existing.as_ref().and_then(|existing| existing.content.as_deref());
    let (memory, session) = site.memory();
    if let Some(now) = before {
        super::edit::refuse_stale(site, asked, &path, now)?;
    }
    let content = args.content.as_bytes();
    let manner = match before {
        Some(before) if before == content => Manner::Renamed,
        _ => replace(&entry, existing.as_ref(), content, asked, (site.unfinished(), cancel))?,
    };
    let text = before.and_then(lossy_text);
    let is_shared = existing.as_ref().is_some_and(Existing::is_shared);
    let has_diff = !is_shared && (existing.is_none() || text.is_some());
    memory.wrote(session, &path, content);
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
        let change = diff(&path, text.as_deref(), &args.content);
        if existing.is_some() && !change.unified.is_empty() {
            summary.push('\n');
            summary.push_str(change.unified.trim_end());
        }
        output.diff = Some(change);
    }
    summary.push_str(manner.remark(is_shared));
    Ok(ToolOutput { summary, ..output }.at(Location { path, line: None }))
}
