//! `move_path`: renames, or copies and deletes if a rename is not possible.

use std::{ffi::OsStr, io, path::Path, sync::Arc};

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::{
    Access, CallContext, Inspection, Location, Subject, Tool, ToolDef, ToolError, ToolKind, ToolOutput, ToolTraits,
};
use tools_sandbox::{Directory, Entry, FileKind, Metadata, ReadRules, Replace};

use crate::cancel::Cancel;
use crate::copy::{CopyOptions, Purpose, copy_file, copy_tree, create_directory, create_link};
use crate::error::FileError;
use crate::predict::replacement;
use crate::remove::remove_tree;
use crate::temporary_name::unique_name;
use crate::tree::Trail;
use crate::workspace::{Site, Workspace};

pub(super) struct MovePath(pub(super) Arc<Workspace>);

/// Moves or renames a file, directory or symbolic link. Creates missing parent directories.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    source: String,
    /// New path, with the name.
    destination: String,
    overwrite: Option<bool>,
}

impl Tool for MovePath {
    type Args = Args;

    fn definition(&self) -> ToolDef {
        ToolDef::of::<Args>("move_path", ToolKind::Move, ToolTraits::EDIT).titled("Move")
    }

    async fn inspect(&self, args: &Args, cx: &CallContext) -> Result<Inspection, ToolError> {
        let site = self.0.site(cx)?;
        let (from, to) = (site.named(&args.source), site.named(&args.destination));
        let source = site.resolve_entry_readable(&from)?;
        let destination = site.resolve_entry_readable(&to)?;
        let change = self.0.change_preview(cx, move |site, _| replacement(&from, &to, site));
        let inspection = Inspection::mutating()
            .changing(change)
            .touching(Subject::path(source, Access::Delete))
            .touching(Subject::path(destination, Access::Write));
        Ok(site.asking(inspection, &[&args.source, &args.destination]))
    }

    async fn run(&self, args: Args, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        self.0.blocking(cx, move |site, cancel| move_path(&args, site, cancel)).await
    }
}

fn move_path(args: &Args, site: &Site, cancel: &Cancel) -> Result<ToolOutput, FileError> {
    let (from, to) = (&*site.named(&args.source), &*site.named(&args.destination));
    let source = site.entry(from)?;
    let Some(metadata) = source.metadata()? else {
        return Err(site.missing(from));
    };
    site.roots.check_unprotected(metadata.id, from)?;
    site.check_readable(&source.path(), from)?;
    let planned = site.resolve_entry_readable(to)?;
    refuse_overlap(&source.path(), &planned, from, to)?;
    if metadata.kind == FileKind::Directory {
        refuse_opening(&source, &planned, site.rules(), from, cancel)?;
    }
    let destination = site.target_entry(to)?;
    let replace = if args.overwrite.unwrap_or(false) { Replace::Allowed } else { Replace::Never };
    let taken = destination.metadata()?;
    if let Some(taken) = taken {
        site.roots.check_unprotected(taken.id, to)?;
        if replace == Replace::Never {
            return Err(FileError::DestinationExists { path: to.to_path_buf(), kind: taken.kind });
        }
    }
    rename(&source, &metadata, &destination, taken, replace, site, cancel)?;
    let path = destination.path();
    let replaced = if taken.is_some() { ", replacing what was there" } else { "" };
    let summary = format!("moved `{}` to `{}`{replaced}", site.show(&source.path()), site.show(&path));
    Ok(ToolOutput::text(summary).at(Location { path, line: None }))
}

fn rename(
    source: &Entry,
    metadata: &Metadata,
    destination: &Entry,
    taken: Option<Metadata>,
    replace: Replace,
    site: &Site,
    cancel: &Cancel,
) -> Result<(), FileError> {
    let (path, kind) = (destination.path(), taken.map_or(FileKind::Unknown, |taken| taken.kind));
    if taken.is_some_and(|taken| taken.id == metadata.id) {
        // Both names belong to one file: a rename would do nothing, so the old name is removed.
        return source.directory().remove_file(source.name()).map_err(|error| FileError::io(&path, error));
    }
    match source.directory().rename(source.name(), destination.directory(), destination.name(), replace) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            move_across(source, metadata, destination, replace, site, cancel)
        }
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::AlreadyExists
                    | io::ErrorKind::DirectoryNotEmpty
                    | io::ErrorKind::IsADirectory
                    | io::ErrorKind::NotADirectory
            ) && taken.is_some() =>
        {
            Err(FileError::DestinationExists { path, kind })
        }
        Err(error) => Err(FileError::io(&source.path(), error)),
    }
}

/// Copies under a random name, renames the copy in one step, then deletes the source. At every
/// moment one place has the whole content.
fn move_across(
    source: &Entry,
    metadata: &Metadata,
    destination: &Entry,
    replace: Replace,
    site: &Site,
    cancel: &Cancel,
) -> Result<(), FileError> {
    let (here, there) = (source.directory(), destination.directory());
    let fail = |error: io::Error| FileError::io(&source.path(), error);
    // The old destination is gone by then, so the move cannot be undone.
    let stayed = |cause: FileError| FileError::Partly {
        done: format!("it was copied to `{}`, and the source stays", site.show(&destination.path())),
        cause: Box::new(cause),
    };
    let copying = CopyOptions { purpose: Purpose::Move, replace, site, cancel };
    match metadata.kind {
        FileKind::File => {
            let file = here.open(source.name()).map_err(fail)?;
            copy_file(&file, metadata, there, destination.name(), copying)?;
            return here.remove_file(source.name()).map_err(fail).map_err(stayed);
        }
        FileKind::Symlink => {
            let target = here.read_link(source.name()).map_err(fail)?;
            create_link(there, destination.name(), &target, copying)?;
            return here.remove_file(source.name()).map_err(fail).map_err(stayed);
        }
        FileKind::Directory => {}
        kind => {
            return Err(FileError::NotCopyable { path: source.path(), kind });
        }
    }
    let name = unique_name();
    let _in_use = site.unfinished().begin(&there.path().join(&name));
    let copying = CopyOptions { replace: Replace::Never, ..copying };
    let result = copy_directory(here, source.name(), there, &name, copying).and_then(|()| {
        there
            .rename(&name, there, destination.name(), replace)
            .map_err(|error| FileError::io(&destination.path(), error))
    });
    if let Err(error) = result {
        let _ = remove_tree(there, &name, &site.roots, &Cancel::never());
        return Err(error);
    }
    remove_tree(here, source.name(), &site.roots, cancel).map(|_| ()).map_err(stayed)
}

fn copy_directory(
    here: &Directory,
    name: &OsStr,
    there: &Directory,
    new_name: &OsStr,
    copying: CopyOptions<'_>,
) -> Result<(), FileError> {
    let source = here.directory(name).map_err(|error| FileError::io(&here.path().join(name), error))?;
    let (copy, _) = create_directory(there, new_name, Replace::Never)?;
    let copied = copy_tree(source, copy, &there.path().join(new_name), false, copying)?;
    if copied.special > 0 {
        return Err(FileError::NotCopyable { path: here.path().join(name), kind: FileKind::Unknown });
    }
    Ok(())
}

/// Refuses a destination that is the source or lies inside it.
pub(super) fn refuse_overlap(source: &Path, destination: &Path, from: &Path, to: &Path) -> Result<(), FileError> {
    let (source_asked, destination_asked) = (from.to_path_buf(), to.to_path_buf());
    if source == destination {
        return Err(FileError::SameFile { from: source_asked, to: destination_asked });
    }
    if destination.starts_with(source) {
        return Err(FileError::IntoItself { from: source_asked, to: destination_asked });
    }
    Ok(())
}

/// Refuses to move denied files to a place where the rules allow them.
fn refuse_opening(
    source: &Entry,
    destination: &Path,
    rules: &ReadRules,
    asked: &Path,
    cancel: &Cancel,
) -> Result<(), FileError> {
    if rules.is_unrestricted() {
        return Ok(());
    }
    let fail = |path: &Path, error: io::Error| FileError::io(path, error);
    let top = source.path();
    let Ok(directory) = source.directory().directory(source.name()) else {
        return Ok(());
    };
    let mut pending = vec![directory.entries().map_err(|error| fail(&top, error))?];
    let mut scopes = vec![rules.scope(&top)];
    let mut trail = Trail::new(directory).map_err(|error| fail(&top, error))?;
    while let Some(here) = trail.here() {
        cancel.check()?;
        let Some((name, kind)) = pending.last_mut().and_then(Vec::pop) else {
            pending.pop();
            scopes.pop();
            trail.up().map_err(|error| fail(&top, error))?;
            continue;
        };
        let path = here.path().join(&name);
        let above = scopes.last().copied();
        let scope = above.map_or_else(|| rules.scope(&path), |above| rules.below(above, &path));
        let new_path =
            path.strip_prefix(&top).map_or_else(|_| destination.to_path_buf(), |rest| destination.join(rest));
        if scope.is_closed() && kind != FileKind::Directory && !rules.denies(&new_path) {
            return Err(FileError::WouldOpen { path: asked.to_path_buf() });
        }
        // Skips a directory that cannot be listed: the tools cannot list it at the target either.
        if kind == FileKind::Directory
            && let Ok(below) = here.directory(&name)
        {
            pending.push(below.entries().map_err(|error| fail(&path, error))?);
            scopes.push(scope);
            trail.down(below).map_err(|error| fail(&path, error))?;
        }
    }
    Ok(())
}
