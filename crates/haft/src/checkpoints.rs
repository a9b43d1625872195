//! What calls changed, kept in a toolbox: where it is kept, and the folders it is kept for.

use std::path::{Path, PathBuf};

use tools_checkpoint::{Checkpoints, Coverage};
use tools_sandbox::{ReadRules, kernel::Canonical};

use crate::config::{HaftConfig, paths, places};

/// The folder in which changes of calls are kept under `config`, and the state in `state`.
pub(crate) fn folder(config: &HaftConfig, state: &Path, canonical: &mut Canonical) -> PathBuf {
    canonical.by_words(&state.join(&config.tools.checkpoints.path))
}

/// What keeps the changes of calls, for the folders that calls may change, without what is
/// `closed`; `None` where they are not kept.
pub(crate) fn keep(config: &HaftConfig, workdir: &Path, closed: ReadRules) -> Option<Checkpoints> {
    if !config.tools.checkpoints.enabled || !config.tools.enabled {
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
    Some(Checkpoints::new(&config.tools.checkpoints, folder, coverage))
}
