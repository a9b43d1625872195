//! What calls changed, kept in a toolbox: where it is kept, and the folders it is kept for.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use tools_checkpoint::{Checkpoints, Coverage};
use tools_core::Layer;
use tools_sandbox::{ReadRules, kernel::Canonical};

use crate::{
    config::{HaftConfig, paths, places},
    part::PartList,
};

/// The folder in which changes of calls are kept under `config`, and the state in `state`.
pub(crate) fn folder(config: &HaftConfig, state: &Path, canonical: &mut Canonical) -> PathBuf {
    canonical.by_words(&state.join(&config.tools.checkpoints.path))
}

/// Whether changes of calls are kept.
pub(crate) fn is_kept(config: &HaftConfig) -> bool {
    config.tools.checkpoints.enabled && config.tools.enabled
}

/// What keeps the changes of calls, for the folders that calls may change, without what is
/// `closed`; `None` where they are not kept.
pub(crate) fn keep(
    config: &HaftConfig,
    workdir: &Path,
    closed: ReadRules,
    parts: &mut PartList,
) -> Option<Arc<Checkpoints>> {
    if !is_kept(config) {
        return None;
    }
    // Where no folders are named, a call may change the one that it comes from.
    let named = |folders: Vec<PathBuf>| {
        let is_named = !matches!(folders.as_slice(), [only] if only == workdir);
        folders.into_iter().filter(|_| is_named).filter_map(|folder| folder.canonicalize().ok()).collect()
    };
    let mut canonical = Canonical::default();
    let workspace = canonical.of(workdir).unwrap_or_else(|| workdir.to_owned());
    let (roots, others) = (named(paths::of_commands(config, workdir)), named(paths::of_files(config, workdir)));
    let coverage = Coverage { workspace, roots, others, closed };
    let folder = folder(config, &places::state_dir(), &mut canonical);
    let checkpoints = Arc::new(Checkpoints::new(&config.tools.checkpoints, folder, coverage));
    parts.layers.push(Arc::clone(&checkpoints) as Arc<dyn Layer>);
    Some(checkpoints)
}
