//! What calls changed, kept in a toolbox: where it is kept, and the folders it is kept for.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use tools_checkpoint::{Checkpoints, Coverage};
use tools_core::Layer;

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig, paths, places},
    part::PartList,
};

/// The folder in which changes of calls are kept under `config`.
pub(crate) fn folder(config: &HaftConfig) -> PathBuf {
    let folder = places::state_dir().join(&config.tools.checkpoints.path);
    folder.canonicalize().unwrap_or(folder)
}

/// Whether changes of calls are kept.
pub(crate) fn is_kept(config: &HaftConfig) -> bool {
    config.tools.checkpoints.enabled && config.tools.enabled
}

/// What keeps the changes of calls, for the folders that calls may change; `None` where they are
/// not kept.
///
/// # Errors
/// Read rules that cannot be compiled.
pub(crate) fn keep(
    loaded: &LoadedConfig<HaftConfig>,
    workdir: &Path,
    parts: &mut PartList,
) -> Result<Option<Arc<Checkpoints>>, LoadError> {
    let config = &loaded.config;
    if !is_kept(config) {
        return Ok(None);
    }
    let closed = paths::read_rules(loaded, workdir)?;
    // Where no folders are named, a call may change the one that it comes from.
    let named = |folders: Vec<PathBuf>| {
        let is_named = !matches!(folders.as_slice(), [only] if only == workdir);
        folders.into_iter().filter(|_| is_named).filter_map(|folder| folder.canonicalize().ok()).collect()
    };
    let workspace = workdir.canonicalize().unwrap_or_else(|_| workdir.to_owned());
    let (roots, others) = (named(paths::of_commands(config, workdir)), named(paths::of_files(config, workdir)));
    let coverage = Coverage { workspace, roots, others, closed };
    let checkpoints = Arc::new(Checkpoints::new(&config.tools.checkpoints, folder(config), coverage));
    parts.layers.push(Arc::clone(&checkpoints) as Arc<dyn Layer>);
    Ok(Some(checkpoints))
}
