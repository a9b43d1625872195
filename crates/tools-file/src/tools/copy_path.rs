//! `copy_path`: a file, or a directory with everything in it.

use std::{io, path::Path, sync::Arc};

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::{
    Access, CallContext, Inspection, Location, Subject, Tool, ToolDef, ToolError, ToolKind, ToolOutput, ToolTraits,
};
use tools_sandbox::{Directory, Entry, FileKind, PathError, Replace};

use super::move_path::refuse_overlap;
use crate::cancel::Cancel;
use crate::copy::{CopyOptions, CopySummary, Purpose, copy_file, copy_tree, create_directory};
use crate::error::FileError;
use crate::predict::replacement;
use crate::remove::remove_tree;
use crate::temporary_name::unique_name;
use crate::workspace::{Site, Workspace};

pub(super) struct CopyPath(pub(super) Arc<Workspace>);

/// Copies a file, or a directory with everything in it; symbolic links inside stay links. Creates
/// missing parent directories.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    source: String,
    /// Path of the copy, with the name.
    destination: String,
    /// Replace an existing file, or merge into an existing directory.
    overwrite: Option<bool>,
}

impl Tool for CopyPath {
    type Args = Args;

    fn definition(&self) -> ToolDef {
        ToolDef::of::<Args>("copy_path", ToolKind::Edit, ToolTraits::EDIT).titled("Copy")
    }

    async fn inspect(&self, args: &Args, cx: &CallContext) -> Result<Inspection, ToolError> {
        let site = self.0.site(cx)?;
        let (from, to) = (site.named(&args.source), site.named(&args.destination));
        let source = site.resolve_readable(&from)?.into_path();
        let destination = site.resolve_entry_readable(&to)?;
        let change = self.0.change_preview(cx, move |site, _| replacement(&from, &to, site));
        let inspection = Inspection::mutating()
            .changing(change)
            .touching(Subject::path(source, Access::Read))
            .touching(Subject::path(destination, Access::Write));
        Ok(site.asking(inspection, &[&args.destination]))
    }

    async fn run(&self, args: Args, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        self.0.blocking(cx, move |site, cancel| copy(&args, site, cancel)).await
    }
}

fn copy(args: &Args, site: &Site, cancel: &Cancel) -> Result<ToolOutput, FileError> {
    let (from, to) = (&*site.named(&args.source), &*site.named(&args.destination));
    let source = site.open_readable(from)?;
    let (origin, metadata) = (source.path().to_path_buf(), *source.metadata());
    let planned = site.resolve_entry_readable(to)?;
    refuse_overlap(&origin, &planned, from, to)?;
    if !matches!(metadata.kind, FileKind::File | FileKind::Directory) {
        return Err(FileError::NotCopyable { path: from.to_path_buf(), kind: metadata.kind });
    }
    let destination = site.target_entry(to)?;
    let replace = if args.overwrite.unwrap_or(false) { Replace::Allowed } else { Replace::Never };
    let taken = destination.metadata()?;
    if let Some(taken) = taken {
        let (path, kind) = (to.to_path_buf(), taken.kind);
        let merges = metadata.kind == FileKind::Directory && kind == FileKind::Directory;
        let clashes = (metadata.kind == FileKind::Directory) != (kind == FileKind::Directory);
        if taken.id == metadata.id {
            return Err(FileError::SameFile { from: from.to_path_buf(), to: path });
        }
        if replace == Replace::Never || clashes {
            return Err(FileError::DestinationExists { path, kind });
        }
        if merges && destination.path() == origin {
            site.roots.check_unprotected(taken.id, &path)?;
        }
    }
    let copied = if metadata.kind == FileKind::File {
        let file = source.into_file()?;
        let copying = CopyOptions { purpose: Purpose::Copy, replace, site, cancel };
        let bytes = copy_file(&file, &metadata, destination.directory(), destination.name(), copying);
        let bytes = bytes.map_err(|error| now_taken(error, to))?;
        CopySummary { files: 1, bytes, ..CopySummary::default() }
    } else {
        let source = source.into_directory()?;
        // Compares identities, not paths: a copy inside its own source would grow for ever.
        let above = destination.directory().lineage().map_err(|error| FileError::io(to, error))?;
        if above.contains(&metadata.id) {
            return Err(FileError::IntoItself { from: from.to_path_buf(), to: to.to_path_buf() });
        }
        copy_directory(source, &destination, taken.is_some(), site, cancel).map_err(|error| now_taken(error, to))?
    };
    let path = destination.path();
    let summary = format!("copied `{}` to `{}` ({})", site.show(&origin), site.show(&path), describe(&copied));
    Ok(ToolOutput::text(summary).at(Location { path, line: None }))
}

/// Makes a new directory appear whole, or merges into an existing one.
fn copy_directory(
    source: Directory,
    destination: &Entry,
    merge: bool,
    site: &Site,
    cancel: &Cancel,
) -> Result<CopySummary, FileError> {
    let (parent, place) = (destination.directory(), destination.path());
    let copying = CopyOptions { purpose: Purpose::Copy, replace: Replace::Never, site, cancel };
    if merge {
        let (into, _) = create_directory(parent, destination.name(), Replace::Allowed)?;
        return copy_tree(source, into, &place, true, CopyOptions { replace: Replace::Allowed, ..copying });
    }
    let name = unique_name();
    let _in_use = site.unfinished().begin(&parent.path().join(&name));
    let copied = create_directory(parent, &name, Replace::Never)
        .and_then(|(copy, _)| copy_tree(source, copy, &place, false, copying))
        .and_then(|copied| {
            parent
                .rename(&name, parent, destination.name(), Replace::Never)
                .map_err(|error| FileError::io(&place, error))?;
            Ok(copied)
        });
    if copied.is_err() {
        let _ = remove_tree(parent, &name, &site.roots, &Cancel::never());
    }
    copied
}

/// The error when another process took the name during the copy.
fn now_taken(error: FileError, to: &Path) -> FileError {
    match error {
        FileError::Path(PathError::Exists(_)) => {
            FileError::DestinationExists { path: to.to_path_buf(), kind: FileKind::Unknown }
        }
        FileError::Path(PathError::Io { source, .. }) if source.kind() == io::ErrorKind::IsADirectory => {
            FileError::DestinationExists { path: to.to_path_buf(), kind: FileKind::Directory }
        }
        other => other,
    }
}

fn describe(copied: &CopySummary) -> String {
    let counts = [
        (copied.files, "files"),
        (copied.directories, "directories"),
        (copied.links, "symbolic links"),
        (copied.bytes, "bytes"),
        (copied.closed, "files left out by the rules"),
        (copied.special, "pipes, sockets or devices left out"),
    ];
    let parts: Vec<String> = counts
        .iter()
        .filter(|(count, what)| *count > 0 || *what == "bytes")
        .map(|(count, what)| match what.strip_suffix('s') {
            Some(one) if *count == 1 && !what.contains(' ') => {
                format!("1 {}", if one == "directorie" { "directory" } else { one })
            }
            _ => format!("{count} {what}"),
        })
        .collect();
    parts.join(", ")
}
