//! `create_directory`: a directory and the parents it needs.

use std::{path::Path, sync::Arc};

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::{
    Access, CallContext, Inspection, Location, Subject, Tool, ToolDef, ToolError, ToolKind, ToolOutput, ToolTraits,
};

use crate::error::FileError;
use crate::workspace::{Site, Workspace};

pub(super) struct CreateDirectory(pub(super) Arc<Workspace>);

/// Creates a directory and its missing parents. An existing one is kept.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    path: String,
}

impl Tool for CreateDirectory {
    type Args = Args;

    fn definition(&self) -> ToolDef {
        let traits = ToolTraits { idempotent: true, ..ToolTraits::ADD };
        ToolDef::of::<Args>("create_directory", ToolKind::Edit, traits).titled("Create directory")
    }

    async fn inspect(&self, args: &Args, cx: &CallContext) -> Result<Inspection, ToolError> {
        let site = self.0.site(cx)?;
        let path = site.roots.resolve(&site.named(&args.path), &site.workdir).map_err(FileError::from)?.into_path();
        let inspection = Inspection::mutating().touching(Subject::path(path, Access::Write));
        Ok(site.asking(inspection, &[&args.path]))
    }

    async fn run(&self, args: Args, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        self.0.blocking(cx, move |site, _| create(&site.named(&args.path), site)).await
    }
}

fn create(asked: &Path, site: &Site) -> Result<ToolOutput, FileError> {
    let (directory, created) = site.roots.create_directories(asked, &site.workdir)?;
    let path = directory.path();
    let summary = match created.as_slice() {
        [] => format!("directory `{}` exists already", site.show(path)),
        [_] => format!("created directory `{}`", site.show(path)),
        [parents @ .., _] => format!("created directory `{}` and {} above it", site.show(path), parents.len()),
    };
    Ok(ToolOutput::text(summary).at(Location { path: path.to_path_buf(), line: None }))
}
