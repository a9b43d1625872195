//! `delete_path`: a file, a link, or a directory with everything in it.

use std::{io, path::Path, sync::Arc};

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::{
    Access, CallContext, Inspection, Location, Subject, Tool, ToolDef, ToolError, ToolKind, ToolOutput, ToolTraits,
};
use tools_sandbox::FileKind;

use crate::cancel::Cancel;
use crate::error::FileError;
use crate::predict::deletion;
use crate::remove::remove_tree;
use crate::workspace::{Site, Workspace};

pub(super) struct DeletePath(pub(super) Arc<Workspace>);

/// Deletes a file, a symbolic link (not its target) or an empty directory; with `recursive` also
/// everything in it. No tool undoes it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    path: String,
    recursive: Option<bool>,
}

impl Tool for DeletePath {
    type Args = Args;

    fn definition(&self) -> ToolDef {
        ToolDef::of::<Args>("delete_path", ToolKind::Delete, ToolTraits::EDIT).titled("Delete")
    }

    async fn inspect(&self, args: &Args, cx: &CallContext) -> Result<Inspection, ToolError> {
        let site = self.0.site(cx)?;
        let resolved = site.roots.resolve_entry(&site.named(&args.path), &site.workdir).map_err(FileError::from)?;
        let (path, recursive) = (site.named(&args.path), args.recursive.unwrap_or(false));
        let change = self.0.change_preview(cx, move |site, cancel| deletion(&path, recursive, site, cancel));
        let inspection = Inspection::mutating().touching(Subject::path(resolved.into_path(), Access::Delete));
        Ok(site.asking(inspection.changing(change), &[&args.path]))
    }

    async fn run(&self, args: Args, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        let recursive = args.recursive.unwrap_or(false);
        self.0.blocking(cx, move |site, cancel| delete(&site.named(&args.path), recursive, site, cancel)).await
    }
}

fn delete(asked: &Path, recursive: bool, site: &Site, cancel: &Cancel) -> Result<ToolOutput, FileError> {
    let entry = site.entry(asked)?;
    let path = entry.path();
    let Some(metadata) = entry.metadata()? else {
        return Err(site.missing(asked));
    };
    site.roots.check_unprotected(metadata.id, asked)?;
    let (directory, name) = (entry.directory(), entry.name());
    let fail = |error: io::Error| FileError::io(asked, error);
    let shown = site.show(&path);
    let summary = match metadata.kind {
        FileKind::Directory if recursive => {
            let removed = remove_tree(directory, name, &site.roots, cancel)?;
            format!("deleted directory `{shown}` ({removed} entries with everything in it)")
        }
        FileKind::Directory => match directory.remove_directory(name) {
            Ok(()) => format!("deleted empty directory `{shown}`"),
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                let entries = directory.directory(name).and_then(|below| below.entries()).map_or(0, |all| all.len());
                return Err(FileError::NotEmpty { path: asked.to_path_buf(), entries });
            }
            Err(error) => return Err(fail(error)),
        },
        kind => {
            directory.remove_file(name).map_err(fail)?;
            let what = if kind == FileKind::Symlink { "symbolic link" } else { "file" };
            format!("deleted {what} `{shown}`")
        }
    };
    Ok(ToolOutput::text(summary).at(Location { path, line: None }))
}
