//! `list_directory`: the entries of one directory with their types.

use std::{ffi::OsString, fmt::Write as _, os::unix::ffi::OsStrExt as _, sync::Arc};

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::{
    Access, CallContext, ClaimSource, Inspection, Location, Subject, Tool, ToolDef, ToolError, ToolKind, ToolOutput,
    ToolTraits, Window, WindowWriter,
};
use tools_sandbox::{FileKind, shown};

use crate::cancel::Cancel;
use crate::error::FileError;
use crate::workspace::{Site, Workspace, show_name};

pub(super) struct ListDirectory(pub(super) Arc<Workspace>);

/// Lists a directory: [dir], [file] or [symlink] and the name of each entry.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    path: String,
    offset: Option<usize>,
    /// Default 1000.
    limit: Option<usize>,
}

impl Tool for ListDirectory {
    type Args = Args;

    fn definition(&self) -> ToolDef {
        ToolDef::of::<Args>("list_directory", ToolKind::Read, ToolTraits::READ_ONLY).titled("List directory")
    }

    async fn inspect(&self, args: &Args, cx: &CallContext) -> Result<Inspection, ToolError> {
        let site = self.0.site(cx)?;
        let path = site.roots.resolve(&site.named(&args.path), &site.workdir).map_err(FileError::from)?.into_path();
        Ok(Inspection::read_only().touching(Subject::path(path, Access::Read)))
    }

    async fn run(&self, args: Args, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        self.0.blocking(cx, move |site, cancel| list(&args, site, cancel)).await
    }
}

fn list(args: &Args, site: &Site, cancel: &Cancel) -> Result<ToolOutput, FileError> {
    let asked = &*site.named(&args.path);
    let directory = site.open_directory(asked)?;
    if let Some(stamps) = site.stamps() {
        let metadata = directory.metadata().map_err(|error| FileError::io(asked, error))?;
        stamps.opened(directory.path(), &directory, &metadata);
    }
    let mut entries = directory.entries().map_err(|error| FileError::io(asked, error))?;
    let before = entries.len();
    if let Some(names) = site.names() {
        entries.retain(|(name, _)| !names.denies(&directory.path().join(name)));
    }
    let (total, closed) = (entries.len(), before - entries.len());
    let offset = args.offset.unwrap_or(0);
    let limit = args.limit.unwrap_or(site.limits().list_entries);
    let by_name = |(a, _): &(OsString, FileKind), (b, _): &(OsString, FileKind)| a.as_bytes().cmp(b.as_bytes());
    // Sorts only the entries up to the last one shown.
    let shown_end = offset.saturating_add(limit);
    if shown_end < total {
        entries.select_nth_unstable_by(shown_end, by_name);
        entries.truncate(shown_end);
    }
    entries.sort_unstable_by(by_name);
    let mut text = String::new();
    let (mut listed, mut filling) = (0, WindowWriter::new(site.answer()));
    for (name, kind) in entries.into_iter().skip(offset).take(limit) {
        cancel.check()?;
        let begin = text.len();
        let shown_name = show_name(&name);
        let _ = match kind {
            FileKind::Directory => writeln!(text, "[dir] {shown_name}"),
            FileKind::Symlink => match directory.read_link(&name) {
                Ok(target) => writeln!(text, "[symlink] {shown_name} -> {}", shown(&target)),
                Err(_) => writeln!(text, "[symlink] {shown_name}"),
            },
            FileKind::File => {
                let found = directory.stat(&name);
                if let Some(stamps) = site.stamps() {
                    stamps.named(&directory.path().join(&name), found.as_ref().ok());
                }
                match found {
                    Ok(metadata) => writeln!(text, "[file] {shown_name} ({} bytes)", metadata.size),
                    Err(_) => writeln!(text, "[file] {shown_name}"),
                }
            }
            FileKind::Fifo => writeln!(text, "[fifo] {shown_name}"),
            FileKind::Socket => writeln!(text, "[socket] {shown_name}"),
            FileKind::Device => writeln!(text, "[device] {shown_name}"),
            FileKind::Unknown => writeln!(text, "[unknown] {shown_name}"),
        };
        if !filling.takes(&text[begin..]) && listed > 0 {
            text.truncate(begin);
            break;
        }
        listed += 1;
    }
    if let Some(stamps) = site.stamps() {
        stamps.complete();
    }
    let end = offset.saturating_add(listed);
    if total == 0 && closed == 0 {
        text.push_str("[the directory is empty]");
    } else if listed == 0 {
        let _ = write!(text, "[no entries shown; the directory has {total}, offset is {offset}]");
    } else if end < total {
        let _ = write!(text, "[showing {}-{end} of {total} entries; for more: offset={end}]", offset + 1);
    } else if offset > 0 {
        let _ = write!(text, "[entries {}-{end} of {total}]", offset + 1);
    }
    if closed > 0 {
        let _ = write!(text, "\n[{closed} more closed by the rules left out]");
    }
    let place = Location { path: directory.path().to_path_buf(), line: None };
    let output = ToolOutput::text(text.trim_end_matches('\n')).from_source(ClaimSource::Workspace).at(place);
    let window = (listed > 0).then_some(Window {
        from: offset as u64,
        to: end as u64,
        total: Some(total as u64),
        next: (end < total).then_some(end as u64),
    });
    Ok(ToolOutput { truncated: end < total, window, ..output })
}
